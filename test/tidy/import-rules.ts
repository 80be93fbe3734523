/** Parts of `src`, by the longest path prefix that fits. */
export const PARTS = {
  core: 'src/core/',
  ledger: 'src/ledger/',
  gates: 'src/gates/',
  nodes: 'src/nodes/',
  graph: 'src/graph/',
  kinds: 'src/kinds/',
  operations: 'src/operations/',
  importing: 'src/importing/',
  delivery: 'src/delivery/',
  surfaces: 'src/surfaces/',
  telemetry: 'src/telemetry/',
  client: 'src/client.ts',
  transport: 'src/transport/',
  workers: 'src/workers/',
  config: 'src/config.ts',
  wiring: 'src/wiring.ts',
  opening: 'src/open-signalbox.ts',
  studio: 'src/studio/',
  embedding: 'src/create-work-graph.ts',
} as const;
export type Part = keyof typeof PARTS;

/** Files that a process starts at. They may import any part, and no file of `src` may import them. */
export const ENTRY_POINTS: readonly string[] = [
  'src/index.ts',
  'src/surfaces/cli/main.ts',
  'src/graph/entry.ts',
  'src/studio/http-app.ts',
];

export interface ImportRule {
  readonly from: Part;
  /** Parts besides its own that it may import. */
  readonly mayImport: readonly Part[];
  /** Parts that it may name in types only. */
  readonly typesOf?: readonly Part[];
  /** Packages and node: modules it may use, with the names it may take of each; left out, any. */
  readonly packages?: Readonly<Record<string, readonly string[]>>;
  readonly because: string;
}

export const IMPORT_RULES: readonly ImportRule[] = [
  {
    from: 'core',
    mayImport: [],
    packages: { canonicalize: ['default'], 'node:crypto': ['createHash'] },
    because: 'the rules of the desk must be readable and testable alone: no I/O, no clock, no randomness',
  },
  {
    from: 'importing',
    mayImport: ['core'],
    packages: {},
    because: 'parsers of foreign formats are pure, so any input can be thrown at them without a desk',
  },
  {
    from: 'ledger',
    mayImport: ['core'],
    because: 'the record keeps what was decided and decides nothing itself',
  },
  {
    from: 'kinds',
    mayImport: ['core'],
    because: 'a kind is data about work: it must not reach the desk that it is checked by',
  },
  {
    from: 'gates',
    mayImport: ['core', 'ledger'],
    because: 'a gate loads facts and asks core; who called it, and through which door, must not matter',
  },
  {
    from: 'nodes',
    mayImport: ['core', 'gates', 'ledger'],
    because: 'a node gets its kind from the work it runs, so a new kind needs no change in the graph',
  },
  {
    from: 'graph',
    mayImport: ['core', 'nodes'],
    because: 'the graph is edges only: its checkpointer is handed in, so it runs over any store',
  },
  {
    from: 'operations',
    mayImport: ['core', 'gates', 'ledger', 'importing'],
    typesOf: ['graph'],
    because: 'one verb a file over interfaces; the graph and the kinds are handed in by the wiring',
  },
  {
    from: 'delivery',
    mayImport: ['core', 'operations', 'telemetry'],
    typesOf: ['kinds', 'config'],
    because:
      'what arrives from queues must pass the same guard as everything else, so it goes through operations',
  },
  {
    from: 'surfaces',
    mayImport: ['core', 'operations', 'importing', 'client', 'telemetry', 'workers'],
    typesOf: ['kinds', 'config', 'opening'],
    because: 'a door is thin: one that reached past operations would be a way around the guard',
  },
  {
    from: 'workers',
    mayImport: ['core'],
    typesOf: ['client'],
    because:
      'a worker is one more caller: it works the same behind HTTP and on a folder, and gets no way past the door',
  },
  {
    from: 'telemetry',
    mayImport: ['core'],
    typesOf: ['ledger', 'operations'],
    because: 'what is only watched must be unable to change anything',
  },
  {
    from: 'transport',
    mayImport: ['core'],
    typesOf: ['operations'],
    packages: { 'node:timers/promises': ['setTimeout'] },
    because: 'how the client speaks HTTP is the client alone: it must run where no desk is installed',
  },
  {
    from: 'client',
    mayImport: ['core', 'transport'],
    typesOf: ['operations'],
    packages: {},
    because:
      'whoever talks to a desk over HTTP must not install the desk; core brings the codes it is answered with',
  },
  {
    from: 'config',
    mayImport: ['core', 'kinds'],
    because: 'settings are parsed once, before anything they configure exists',
  },
  {
    from: 'wiring',
    mayImport: [
      'core',
      'ledger',
      'gates',
      'nodes',
      'graph',
      'kinds',
      'operations',
      'importing',
      'delivery',
      'surfaces',
      'telemetry',
      'client',
      'config',
    ],
    because: 'one place constructs the concretes, so every other file can do with interfaces',
  },
  {
    from: 'opening',
    mayImport: ['config', 'kinds', 'operations', 'surfaces', 'wiring'],
    because: 'the library and the command line open a desk in the same way, from one file',
  },
  {
    from: 'studio',
    mayImport: ['core', 'nodes', 'graph', 'ledger', 'config'],
    because: 'the dev server has no desk: only the guard inside the graph can be asked there',
  },
  {
    from: 'embedding',
    mayImport: ['graph', 'kinds'],
    because: 'whoever embeds the graph gets the shipped kinds without a desk being opened',
  },
];
