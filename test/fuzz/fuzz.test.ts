import { describe, expect, it } from 'vitest';
import { fuzzCommandLines } from '../../proof/fuzz/command-lines.js';
import { fuzzRoutes } from '../../proof/fuzz/http.js';
import { fuzzImports } from '../../proof/fuzz/imports.js';
import { fuzzIntake } from '../../proof/fuzz/intake.js';
import { fuzzTools } from '../../proof/fuzz/mcp.js';
import { fuzzPages } from '../../proof/fuzz/pages.js';
import { fuzzThreads, fuzzWire } from '../../proof/fuzz/threads.js';

/** Always the same inputs, so that a failure here is a change of ours; `npm run fuzz` tries others, and many more. */
const SEED = 8;

describe('no generated input makes a fault, a hang or a leak, nor changes anything where it is refused', () => {
  it.each([
    ['every HTTP route', fuzzRoutes, 400],
    ['every MCP tool', fuzzTools, 100],
    ["every verb's command line", fuzzCommandLines, 150],
    ['every format of import', fuzzImports, 60],
    ['messages of a queue', fuzzIntake, 100],
    ["LangGraph's API", fuzzThreads, 150],
    ['pages and forms of the cockpit', fuzzPages, 100],
    ['bytes that are no HTTP', fuzzWire, 100],
  ])(
    '%s',
    async (_door, fuzz, runs) => {
      expect(await fuzz({ runs, seed: SEED })).toBeUndefined();
    },
    120_000,
  );
});
