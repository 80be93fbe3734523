import { Client } from '@langchain/langgraph-sdk';
import { vi } from 'vitest';
import { connect } from '../../src/client.js';
import { Refusal } from '../../src/index.js';
import { runCommandLine } from '../../src/surfaces/cli/program.js';
import type { Serving } from '../http/serving.js';
import { overHttp, type ToolClient } from '../mcp/clients.js';

/** One call, the same for every door. */
export interface Call {
  readonly who: string;
  readonly verb: Verb;
  readonly workId: string;
  readonly body: Readonly<Record<string, unknown>>;
}
export type Verb =
  | 'claim'
  | 'renew'
  | 'submit'
  | 'review'
  | 'decide'
  | 'complete'
  | 'release'
  | 'handoff'
  | 'show'
  | 'register';

export interface Door {
  readonly name: string;
  /** Verbs that this door has no word for. */
  readonly lacks: readonly Verb[];
  /** The code it is refused with; what it answers where it is not. */
  code(call: Call): Promise<string>;
  close?(): Promise<void>;
}

type Verbs = Record<string, (...given: readonly unknown[]) => Promise<unknown>>;

const library = (here: Serving): Door => ({
  name: 'library',
  lacks: [],
  async code({ who, verb, workId, body }) {
    const door = here.box.as(who) as unknown as Verbs;
    const given = verb === 'register' ? [{ workId, ...body }] : [workId, body];
    return await codeOf(door[verb]?.(...given));
  },
});

async function codeOf(call: Promise<unknown> | undefined): Promise<string> {
  try {
    return JSON.stringify(await call);
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const http = (here: Serving): Door => ({
  name: 'HTTP',
  lacks: [],
  async code({ who, verb, workId, body }) {
    const token = await here.tokenOf(who);
    const at = `/v1/works/${workId}`;
    if (verb === 'show') return codeIn(await here.call('GET', at, { token }));
    if (verb === 'register')
      return codeIn(await here.call('POST', '/v1/works', { token, json: { workId, ...body } }));
    return codeIn(await here.call('POST', `${at}/${verb}`, { token, json: body }));
  },
});

const codeIn = ({
  text,
  body,
}: {
  readonly text: string;
  readonly body: { readonly code?: string } | null;
}): string => body?.code ?? text;

const TOOL: Partial<Record<Verb, string>> = {
  submit: 'submit_result',
  handoff: 'hand_off',
  show: 'get_work',
};

function mcp(here: Serving): Door {
  const clients = new Map<string, Promise<ToolClient>>();
  const clientOf = (who: string): Promise<ToolClient> => {
    const client = clients.get(who) ?? here.tokenOf(who).then((token) => overHttp(here.url, token));
    clients.set(who, client);
    return client;
  };
  return {
    name: 'MCP',
    lacks: [],
    async code({ who, verb, workId, body }) {
      const client = await clientOf(who);
      const { isError, said, text } = await client.call(TOOL[verb] ?? verb, { workId, ...body });
      return isError ? String((said as { code: unknown }).code) : text;
    },
    async close() {
      for (const client of clients.values()) await (await client).close();
    },
  };
}

const FLAGS: Readonly<Record<string, string>> = {
  interruptId: '--interrupt',
  inputVersion: '--input-version',
  artifact: '--artifact',
  artifactSha256: '--artifact',
  verdict: '--verdict',
  evidenceRef: '--evidence',
  action: '--action',
  decision: '--decision',
  reason: '--reason',
  outcome: '--outcome',
  externalId: '--external-id',
  input: '--input',
  to: '--to',
};

const commandLine = (here: Serving): Door => ({
  name: 'CLI',
  lacks: [],
  async code({ who, verb, workId, body }) {
    const flags = Object.entries(body).flatMap(([field, value]) => [
      FLAGS[field] ?? `--${field}`,
      asFlag(field, value),
    ]);
    const args = verb === 'register' ? [verb, '--work-id', workId, ...flags] : [verb, workId, ...flags];
    const env = {
      SIGNALBOX_URL: here.url,
      SIGNALBOX_TOKEN: await here.tokenOf(who),
      SIGNALBOX_DATA: here.dataDir,
    };
    const printed: string[] = [];
    // Only what it prints is taken aside; the command line itself runs as it is.
    const stdout = vi
      .spyOn(process.stdout, 'write')
      .mockImplementation((text) => printed.push(String(text)) > 0);
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    try {
      const exit = await runCommandLine([...args, '--json'], programs, env);
      const said = printed.join('');
      const { error } = JSON.parse(said) as { error?: { code: string } };
      return exit === 1 && error ? error.code : `exit ${exit}: ${said}`;
    } finally {
      stdout.mockRestore();
      stderr.mockRestore();
    }
  },
});

const none = (): Promise<never> => Promise.reject(new Error('this door reaches a server only'));
const programs = {
  open: none,
  serve: none,
  sampleInvoices: none,
  connect: (options: Parameters<typeof connect>[0]) => Promise.resolve(connect(options)),
};

function asFlag(field: string, value: unknown): string {
  if (field === 'artifact') return (value as { sha256: string }).sha256;
  return field === 'input' ? JSON.stringify(value) : String(value);
}

const ACTION: Partial<Record<Verb, string>> = { submit: 'result' };

const sdk = (here: Serving): Door => ({
  name: 'LangGraph SDK',
  lacks: ['renew', 'show', 'register'],
  async code({ who, verb, workId, body }) {
    const { threadId } = await here.box.as('owner').show(workId);
    const { interruptId, action: gateAction, ...fields } = body;
    const apiKey = await here.tokenOf(who);
    const client = new Client({ apiUrl: `${here.url}/langgraph`, apiKey, callerOptions: { maxRetries: 0 } });
    const answer = {
      action: ACTION[verb] ?? verb,
      ...fields,
      ...(gateAction === undefined ? {} : { gateAction }),
    };
    const resume = { [String(interruptId)]: { answer } };
    try {
      return JSON.stringify(await client.runs.wait(threadId, 'signalbox', { command: { resume } }));
    } catch (error) {
      const code = /"code":"(\w+)"/.exec(String(error))?.[1];
      if (code === undefined) throw error;
      return code;
    }
  },
});

/** Every way to the desk that a program has. */
export const doorsOf = (here: Serving): readonly Door[] => [
  library(here),
  http(here),
  mcp(here),
  commandLine(here),
  sdk(here),
];
