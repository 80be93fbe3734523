import { structuredPatch } from 'diff';
import { LIMITS } from '../../core/limits.js';
import type { Say } from './language.js';

interface DifferenceProps {
  readonly t: Say;
  readonly before: string;
  readonly after: string;
  /** What stands on each side, in words. */
  readonly title: string;
}

/** What changed between two texts, line by line; added and removed lines are marked by sign as well as by colour. */
export function TextDifference({ t, before, after, title }: DifferenceProps) {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: LIMITS.difference_ms });
  if (!patch) return <p class="muted">{t('difference.too_long')}</p>;
  if (patch.hunks.length === 0) return <p class="muted">{t('difference.none')}</p>;
  const lines = patch.hunks.flatMap((hunk, index) => [
    ...(index === 0 ? [] : [{ sign: '…', text: '' }]),
    ...hunk.lines.map((line) => ({ sign: line.charAt(0), text: line.slice(1) })),
  ]);
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={title}>
      <table class="difference">
        <caption>{title}</caption>
        <tbody>
          {lines.slice(0, LIMITS.renderedRows).map(({ sign, text }) => (
            <tr class={CLASSES[sign]}>
              <td class="sign">{sign}</td>
              <td>
                <code>{text}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > LIMITS.renderedRows ? (
        <p>{t('artifact.more', { n: lines.length - LIMITS.renderedRows })}</p>
      ) : null}
    </div>
  );
}

const CLASSES: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '…': 'gap' };
