/**
 * A case is an exception that a human works on: a work of the kind below, with an origin that waits for its decision.
 *
 * origin       the system, run and message that raised the exception and must be told what was decided
 * observation  one more arrival of an exception that is known already
 * occurrence   what tells two cases of one exception apart, where its classification says that each is its own
 * reflected    said of a decision that has reached its origin; decided and reflected are two facts
 */
export const CASE_KIND = 'exception-case';

/** What a decided case waits for, in place of what works of other kinds wait for there. */
export const CASE_WAITS_FOR =
  'its origin to be told the decision, or the report that it was told in another way';

/** The occurrence of an exception whose arrivals are all one case. */
export const ONE_CASE = 'once';

/** What a second arrival of a known exception is. */
export type Recurrence = 'observation' | 'new_occurrence';

export interface ClassificationPolicy {
  readonly recurrence: Recurrence;
  /** The team whose basket it goes to. */
  readonly team: string | null;
  /** How long after it occurred it is due, in ms, where its sender names no deadline. */
  readonly respond_ms: number | null;
}

export interface TeamPolicy {
  /** Open cases that this team takes; null for no limit. */
  readonly capacity: number | null;
  /** The team that is told when a case of this one is overdue. */
  readonly escalateTo: string | null;
}

/** How a system that raises exceptions is told of decisions. Secrets are named by the variable that holds them. */
export type OriginTarget =
  | {
      readonly type: 'webhook';
      readonly url: string;
      readonly secretEnv: string;
      /** Answers `GET <askUrl>/<decisionId>` with 200 where it has the decision and 404 where not; null: cannot be asked. */
      readonly askUrl: string | null;
      /** Its name must lead outside: it was asked for by a sender, not chosen by the project. */
      readonly publicOnly?: boolean;
    }
  | {
      readonly type: 'langgraph';
      readonly url: string;
      readonly assistant: string;
      readonly apiKeyEnv: string | null;
    }
  /** A work of this very desk; `origin.runId` is its workId. */
  | { readonly type: 'work' }
  /** It reads its decision itself and reports that with `complete`. */
  | { readonly type: 'poll' };

export interface SqsIntake {
  readonly queueUrl: string;
  readonly region: string;
  /** In place of the region's own endpoint. */
  readonly endpoint: string | null;
  readonly tenant: string;
  /** The principal that records what arrives; needs the role scout, worker or operator. */
  readonly principal: string;
  /** Deliveries of one message after which it goes to the dead letters. */
  readonly attempts: number;
  /** How long a received message is hidden from other readers, in seconds; after a crash it comes again then. */
  readonly visibility_s: number;
}

/** Everything a project sets about its cases. Resolved and frozen. */
export interface CasePolicy {
  readonly classifications: ReadonlyMap<string, ClassificationPolicy>;
  readonly teams: ReadonlyMap<string, TeamPolicy>;
  readonly defaultTeam: string;
  /** By `origin.system`. */
  readonly origins: ReadonlyMap<string, OriginTarget>;
  /** Where an exception may ask to be called back: a URL and everything below its path. Empty allows none. */
  readonly webhookAllow: readonly string[];
  readonly webhookSecretEnv: string | null;
  /** Whether a name that is allowed there may lead to an inner address. An address that is allowed itself always may. */
  readonly webhookPrivateNetworks: boolean;
  /** How long evidence is kept where its sender does not say, in ms. */
  readonly evidenceRetention_ms: number;
  readonly deadLetterRetention_ms: number;
  readonly deadLetterOwner: string;
  readonly sqs: readonly SqsIntake[];
}

const UNCLASSIFIED: ClassificationPolicy = Object.freeze({
  recurrence: 'observation',
  team: null,
  respond_ms: null,
});
const UNLIMITED: TeamPolicy = Object.freeze({ capacity: null, escalateTo: null });

export function classificationPolicy(policy: CasePolicy, classification: string): ClassificationPolicy {
  return policy.classifications.get(classification) ?? UNCLASSIFIED;
}

export function teamPolicy(policy: CasePolicy, team: string): TeamPolicy {
  return policy.teams.get(team) ?? UNLIMITED;
}

/** Whether the project names a team anywhere: with its bounds, for a classification, for what is overdue or by default. */
export function knowsTeam({ teams, classifications, defaultTeam }: CasePolicy, team: string): boolean {
  if (team === defaultTeam || teams.has(team)) return true;
  return (
    [...classifications.values()].some((each) => each.team === team) ||
    [...teams.values()].some((each) => each.escalateTo === team)
  );
}

export interface Origin {
  readonly system: string;
  readonly runId: string;
  readonly conversationId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly interruptId?: string | undefined;
  readonly userId?: string | undefined;
  readonly callbackUrl?: string | undefined;
}

/**
 * Where a decision is to be reported: what the project set for the system, else the call-back that the exception
 * asked for where the project allows it. A system of its own name is the desk itself. Null: not allowed.
 */
export function targetOf(policy: CasePolicy, origin: Origin): OriginTarget | null {
  const set = policy.origins.get(origin.system);
  if (set) return set;
  if (origin.callbackUrl !== undefined) {
    if (policy.webhookSecretEnv === null || !mayCall(policy.webhookAllow, origin.callbackUrl)) return null;
    return {
      type: 'webhook',
      url: origin.callbackUrl,
      secretEnv: policy.webhookSecretEnv,
      askUrl: null,
      publicOnly: !policy.webhookPrivateNetworks && !namesAnAddress(origin.callbackUrl),
    };
  }
  return origin.system === 'signalbox' ? { type: 'work' } : { type: 'poll' };
}

/** Whether a URL is one of the allowed, or below one: same scheme, host and port, and the path begins with the allowed one. */
export function mayCall(allow: readonly string[], url: string): boolean {
  const wanted = parsedUrl(url);
  if (!wanted || wanted.username !== '' || wanted.password !== '' || mayClimb(wanted.pathname)) return false;
  return allow.some((each) => {
    const allowed = parsedUrl(each);
    if (!allowed || allowed.origin !== wanted.origin) return false;
    const folder = allowed.pathname.endsWith('/') ? allowed.pathname : `${allowed.pathname}/`;
    return wanted.pathname === allowed.pathname || wanted.pathname.startsWith(folder);
  });
}

/**
 * Whether some server could read a path as one that leads upwards: a URL keeps `..%2f` as a name, and many a server
 * decodes it, some of them twice, takes `\\` for `/`, or cuts off what follows `;`.
 */
function mayClimb(pathname: string): boolean {
  for (let path = pathname; ;) {
    if (path.split(/[/\\]/).some((part) => /^\.{1,2}(?:;.*)?$/.test(part))) return true;
    const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    // Every decoding that changes it makes it shorter, so this ends.
    if (decoded === path) return false;
    path = decoded;
  }
}

/** An address of a machine rather than a name that somebody else could point elsewhere. */
function namesAnAddress(url: string): boolean {
  const host = parsedUrl(url)?.hostname ?? '';
  return host === 'localhost' || host.startsWith('[') || /^[\d.]+$/.test(host);
}

function parsedUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
