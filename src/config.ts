import { resolve } from 'node:path';
import type { CasePolicy } from './core/case.js';
import type { Kind } from './core/kind.js';
import { ConfigError } from './kinds/config-error.js';
import { resolveCases, type CasesDeclaration } from './kinds/case-config.js';
import { loadProject } from './kinds/load-config.js';

/** Everything that can be set from outside, parsed once, frozen. */
export interface Config {
  /** Folder of the SQLite file and the artifacts. */
  readonly dataFolder: string;
  /** `postgres://…` keeps ledger and checkpoints there; null keeps them in a SQLite file in the data folder. */
  readonly databaseUrl: string | null;
  /** `s3://bucket/prefix?endpoint=…&region=…` keeps artifacts in an S3-compatible store; null in the data folder. */
  readonly artifacts: S3Place | null;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly cases: CasePolicy;
  /**
   * What moves threads: `step` runs the graph's nodes and writes the checkpoint in the transaction that accepts the
   * answer; `langgraph` has LangGraph's own runner do it, which can be traced and is several times slower.
   */
  readonly runner: 'step' | 'langgraph';
  /** How long after its end a thread keeps all its checkpoints, in ms; null keeps them until `prune` is run by hand. */
  readonly retention_ms: number | null;
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
}

/** A bucket, and what every key in it begins with. */
export interface S3Place {
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string | null;
  readonly region: string | null;
}

export interface ConfigOptions {
  readonly dataDir?: string;
  /** `postgres://…`, instead of the SQLite file in the data folder. */
  readonly databaseUrl?: string;
  /** `s3://bucket/prefix?endpoint=…&region=…`, instead of a folder in the data folder. */
  readonly artifacts?: string;
  readonly host?: string;
  readonly port?: number;
  /** Instead of SIGNALBOX_RUNNER. */
  readonly runner?: Config['runner'];
  /** Days, instead of SIGNALBOX_PRUNE_DAYS. */
  readonly pruneDays?: number;
  /** Path of the kinds file; by default the first `signalbox.config.*` of the working folder. */
  readonly config?: string;
  /** Kinds given as values, instead of a file. */
  readonly kinds?: readonly Kind[];
  /** How cases are handled, instead of what the file says. */
  readonly cases?: CasesDeclaration;
}

export const DEFAULTS = {
  dataFolder: '.signalbox',
  host: '127.0.0.1',
  port: 4114,
  runner: 'step',
  logLevel: 'info',
} as const;

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/**
 * Options first, then the environment (SIGNALBOX_DATA, SIGNALBOX_DATABASE_URL, SIGNALBOX_ARTIFACTS, SIGNALBOX_HOST, SIGNALBOX_PORT, SIGNALBOX_CONFIG, SIGNALBOX_RUNNER, SIGNALBOX_PRUNE_DAYS, SIGNALBOX_LOG), then defaults.
 * @throws ConfigError that names the setting and what it may be
 */
export async function readConfig(
  options: ConfigOptions = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<Config> {
  const configPath = options.config ?? setting(env, 'SIGNALBOX_CONFIG');
  const project = await loadProject({
    cwd: process.cwd(),
    ...(configPath === undefined ? {} : { configPath }),
  });
  const kinds = new Map(project.kinds);
  for (const kind of options.kinds ?? []) kinds.set(kind.name, kind);
  return Object.freeze({
    dataFolder: resolve(options.dataDir ?? setting(env, 'SIGNALBOX_DATA') ?? DEFAULTS.dataFolder),
    databaseUrl: databaseFrom(options.databaseUrl ?? setting(env, 'SIGNALBOX_DATABASE_URL')),
    artifacts: artifactsFrom(options.artifacts ?? setting(env, 'SIGNALBOX_ARTIFACTS')),
    host: options.host ?? setting(env, 'SIGNALBOX_HOST') ?? DEFAULTS.host,
    port: portFrom(options.port ?? setting(env, 'SIGNALBOX_PORT') ?? DEFAULTS.port),
    kinds,
    cases: options.cases === undefined ? project.cases : resolveCases(options.cases),
    runner: runnerFrom(options.runner ?? setting(env, 'SIGNALBOX_RUNNER') ?? DEFAULTS.runner),
    retention_ms: retentionFrom(options.pruneDays ?? setting(env, 'SIGNALBOX_PRUNE_DAYS')),
    logLevel: logLevelFrom(setting(env, 'SIGNALBOX_LOG') ?? DEFAULTS.logLevel),
  });
}

/** An empty variable is an unset one. */
function setting(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

function databaseFrom(url: string | undefined): string | null {
  if (url === undefined) return null;
  // The address may hold a password, so it is not repeated.
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new ConfigError('SIGNALBOX_DATABASE_URL', [
      { path: '', message: 'must be postgres://user:password@host:port/database' },
    ]);
  return url;
}

function artifactsFrom(text: string | undefined): S3Place | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const endpoint = url?.searchParams.get('endpoint') ?? null;
  if (url?.protocol !== 's3:' || url.hostname === '' || (endpoint !== null && !URL.canParse(endpoint)))
    throw new ConfigError('SIGNALBOX_ARTIFACTS', [
      { path: '', message: 'must be s3://bucket/prefix?endpoint=…&region=…' },
    ]);
  const path = url.pathname.replace(/^\/+|(?<!\/)\/+$/g, '');
  return {
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    endpoint,
    region: url.searchParams.get('region'),
  };
}

function portFrom(value: string | number): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ConfigError('SIGNALBOX_PORT', [
      { path: '', message: `must be a whole number from 0 to 65535, not ${JSON.stringify(value)}` },
    ]);
  }
  return port;
}

function runnerFrom(value: string): Config['runner'] {
  if (value === 'step' || value === 'langgraph') return value;
  throw new ConfigError('SIGNALBOX_RUNNER', [{ path: '', message: 'must be step or langgraph' }]);
}

function retentionFrom(value: string | number | undefined): number | null {
  if (value === undefined) return null;
  const days = Number(value);
  if (!(days >= 0 && days <= 36_500))
    throw new ConfigError('SIGNALBOX_PRUNE_DAYS', [
      { path: '', message: `must be a number of days from 0, not ${JSON.stringify(value)}` },
    ]);
  return days * 24 * 3_600_000;
}

function logLevelFrom(value: string): Config['logLevel'] {
  const level = LOG_LEVELS.find((each) => each === value);
  if (!level)
    throw new ConfigError('SIGNALBOX_LOG', [
      { path: '', message: `must be one of ${LOG_LEVELS.join(', ')}` },
    ]);
  return level;
}
