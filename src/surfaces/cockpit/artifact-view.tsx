import { LIMITS } from '../../core/limits.js';
import { canonicalJson } from '../../core/identity.js';
import { Refusal } from '../../core/refusals.js';
import type { Door } from '../../operations/door.js';
import { JsonTable } from './json-table.js';
import type { Say } from './language.js';
import { Markdown } from './markdown.js';
import { TextDifference } from './text-difference.js';

/** An artifact as far as a page can show it. */
export interface LoadedArtifact {
  readonly sha256: string;
  readonly size_bytes: number;
  readonly mediaType: string;
  readonly storedBy: string;
  /** Its text where it is text and small enough. */
  readonly text: string | null;
}

const TEXT_TYPE =
  /^(text\/|application\/(json|x-ndjson|xml|yaml|x-yaml|toml|sql|javascript)\b|[^;]+\+json\b)/;

/** Loads what a page shows of an artifact; null where this visitor or this desk has none of that name. */
export async function loadArtifact(door: Door, sha256: string | null): Promise<LoadedArtifact | null> {
  if (sha256 === null) return null;
  try {
    const { bytes, mediaType, size, storedBy } = await door.getArtifact(sha256);
    const readable = TEXT_TYPE.test(mediaType) && size <= LIMITS.rendered_bytes;
    return { sha256, size_bytes: size, mediaType, storedBy, text: readable ? decoded(bytes) : null };
  } catch (error) {
    if (error instanceof Refusal && ['NOT_FOUND', 'FORBIDDEN'].includes(error.code)) return null;
    throw error;
  }
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

interface ArtifactProps {
  readonly t: Say;
  readonly workId: string;
  readonly artifact: LoadedArtifact;
  readonly previous: LoadedArtifact | null;
}

/** An artifact, what changed since the one before it, and the way to the bytes themselves. */
export function ArtifactView({ t, workId, artifact, previous }: ArtifactProps) {
  const path = `/works/${encodeURIComponent(workId)}/artifacts/${artifact.sha256}`;
  return (
    <section class="panel artifact" aria-labelledby="artifact-title">
      <div class="panel-head">
        <h2 id="artifact-title">{t('artifact.title')}</h2>
        <a class="button" href={path} download>
          {t('artifact.download', { kib: Math.max(1, Math.round(artifact.size_bytes / 1024)) })}
        </a>
      </div>
      <p class="small muted">
        {artifact.mediaType} · <code class="hash">{artifact.sha256}</code>
      </p>
      {previous && previous.sha256 !== artifact.sha256 ? (
        <details open={artifact.text !== null}>
          <summary>{t('artifact.changed')}</summary>
          <Changes t={t} artifact={artifact} previous={previous} />
        </details>
      ) : null}
      <Rendered t={t} artifact={artifact} />
    </section>
  );
}

function Changes({ t, artifact, previous }: { t: Say; artifact: LoadedArtifact; previous: LoadedArtifact }) {
  if (artifact.text === null || previous.text === null) return <p class="muted">{t('artifact.not_shown')}</p>;
  return (
    <TextDifference
      t={t}
      before={comparable(previous)}
      after={comparable(artifact)}
      title={t('artifact.difference', {
        before: previous.sha256.slice(0, 8),
        after: artifact.sha256.slice(0, 8),
      })}
    />
  );
}

/** JSON is compared by what it says, not by how its fields happen to be ordered. */
function comparable({ text, mediaType }: LoadedArtifact): string {
  const value = isJson(mediaType) ? jsonOf(text ?? '') : undefined;
  return value === undefined
    ? (text ?? '')
    : `${JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)}\n`;
}

function Rendered({ t, artifact }: { readonly t: Say; readonly artifact: LoadedArtifact }) {
  const { text, mediaType } = artifact;
  if (text === null) return <p class="muted">{t('artifact.not_shown')}</p>;
  if (mediaType.startsWith('text/markdown')) return <Markdown text={text} />;
  const value = isJson(mediaType) ? jsonOf(text) : undefined;
  if (value !== undefined)
    return (
      <div class="scroll" tabindex={0}>
        <JsonTable t={t} value={value} />
      </div>
    );
  return (
    <pre class="text" tabindex={0}>
      {text}
    </pre>
  );
}

const isJson = (mediaType: string): boolean => /^(application\/json|[^;]+\+json)\b/.test(mediaType);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
