import { join } from 'node:path';
import { readConfig } from '../config.js';
import type { CompiledWorkGraph } from '../graph/graph.js';
import { workGraph } from '../graph/work-graph.js';
import type { Kind } from '../core/kind.js';
import { ArtifactFolder } from '../ledger/artifact-folder.js';

/** What the dev server runs: the graph of this project's kinds. */
export interface StudioProject {
  readonly graph: CompiledWorkGraph;
  readonly kinds: ReadonlyMap<string, Kind>;
}

let opened: Promise<StudioProject> | undefined;

/**
 * The project of the working folder, read once. Contents are kept in the data folder, in a tree of their own beside
 * the desk's artifacts, because the dev server keeps its checkpoints over a restart too.
 * @throws ConfigError
 */
export function studioProject(): Promise<StudioProject> {
  return (opened ??= open());
}

async function open(): Promise<StudioProject> {
  const { kinds, dataFolder } = await readConfig();
  const artifacts = new ArtifactFolder(join(dataFolder, 'studio'));
  return { kinds, graph: workGraph({ kinds: kinds.values(), artifacts }) };
}
