import { sha256 } from '../core/identity.js';
import { invalid, type Refusal } from '../core/refusals.js';
import { ARCHIVE_VERSIONS, type ArchiveLine, type Tables } from './archive-format.js';

export interface Brought {
  readonly tenants: readonly string[];
  readonly works: number;
  readonly artifacts: number;
}

/** A tenant whose end has not come yet. */
interface Part {
  readonly tenant: string;
  works: number;
  artifacts: number;
  /** Artifacts that are on its record and whose bytes have not come; null before the record itself. */
  owed: Set<string> | null;
}

type Header = Extract<ArchiveLine, { signalbox: number }>;
type Work = Extract<ArchiveLine, { work: string }>;

/** Follows an archive line by line, and says where it is none, or not whole. */
export class ArchiveCheck {
  private named: readonly string[] = [];
  private readonly whole = new Set<string>();
  private part: Part | null = null;
  private works = 0;
  private artifacts = 0;

  /** Every tenant that the archive says it has; known from its first line on. */
  get tenants(): readonly string[] {
    return this.named;
  }

  /** @returns the tenant that the line belongs to. @throws Refusal INVALID */
  take(line: ArchiveLine): string {
    if ('signalbox' in line) return this.begin(line);
    const { part } = this;
    if (!part) throw invalid('', 'is no archive: it does not begin with what it is of');
    if ('work' in line) takeWork(part, line);
    else if ('tables' in line) takeTables(part, line.tables);
    else if ('artifact' in line) takeArtifact(part, line);
    else if ('end' in line) this.end(part, line.end);
    else throw invalid('', 'holds a line that no archive has');
    return part.tenant;
  }

  /** @throws Refusal INVALID where something is missing */
  finish(): Brought {
    if (this.part || this.whole.size === 0 || this.named.some((tenant) => !this.whole.has(tenant)))
      throw cutOff();
    return { tenants: this.named, works: this.works, artifacts: this.artifacts };
  }

  private begin(line: Header): string {
    const { signalbox, tenant, tenants = [tenant] } = line;
    if (!ARCHIVE_VERSIONS.includes(signalbox))
      throw invalid(
        '/signalbox',
        `is archive version ${signalbox}; this program knows ${ARCHIVE_VERSIONS.join(' and ')}`,
      );
    if (this.part) throw cutOff();
    if (this.named.length === 0) this.named = tenants;
    if (!this.named.includes(tenant) || this.whole.has(tenant))
      throw invalid('/tenant', `is ${tenant}, of which this archive does not say that it comes now`);
    this.part = { tenant, works: 0, artifacts: 0, owed: null };
    return tenant;
  }

  private end(
    part: Part,
    { works, artifacts }: { readonly works: number; readonly artifacts: number },
  ): void {
    if (part.owed?.size !== 0 || part.works !== works || part.artifacts !== artifacts) throw cutOff();
    this.whole.add(part.tenant);
    this.works += works;
    this.artifacts += artifacts;
    this.part = null;
  }
}

/** Reads an archive to its end and brings nothing. @throws Refusal INVALID where it is none, or not whole */
export async function checkArchive(lines: AsyncIterable<ArchiveLine>): Promise<Brought> {
  const check = new ArchiveCheck();
  for await (const line of lines) {
    check.take(line);
    if ('artifact' in line && sha256(Buffer.from(line.base64, 'base64')) !== line.artifact)
      throw invalid('', `the bytes of artifact ${line.artifact} have another hash`);
  }
  return check.finish();
}

function takeWork(part: Part, { work, tables, thread }: Work): void {
  const row = tables['works']?.[0];
  if (row?.['work_id'] !== work || row['tenant'] !== part.tenant)
    throw invalid('/tables/works', `is not the row of work ${work} of ${part.tenant}`);
  if ((thread.at(-1)?.id ?? null) !== row['checkpoint_id'])
    throw invalid('/thread', `does not end where work ${work} stands`);
  if (part.owed) throw invalid('', `has work ${work} after what comes last`);
  part.works += 1;
}

function takeTables(part: Part, tables: Tables): void {
  part.owed = new Set((tables['artifacts'] ?? []).map((row) => String(row['sha256'])));
}

function takeArtifact(part: Part, { artifact }: { readonly artifact: string }): void {
  if (!part.owed?.delete(artifact))
    throw invalid('', `has an artifact ${artifact} that is not on its record`);
  part.artifacts += 1;
}

const cutOff = (): Refusal =>
  invalid('', 'the archive was cut off, or something was taken out of it: bring a whole one');
