import { Webhook } from 'standardwebhooks';
import type { OriginTarget } from '../core/case.js';
import { LIMITS } from '../core/limits.js';
import type { Delivery, Told } from '../operations/cases/outbox.js';
import { InnerAddress } from './public-address.js';
import { statusOf } from './status-of.js';

/** What a try needs of the process it runs in. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Aborted when the desk closes: what is under way then is written down as unknown. */
  readonly closing: AbortSignal;
}

type WebhookTarget = Extract<OriginTarget, { type: 'webhook' }>;

/**
 * Tells a web server, signed as Standard Webhooks has it: `webhook-id` is the decision's ID, the same at every try,
 * so the receiver can recognise what it has. Redirects are not followed: they would lead past what is allowed.
 */
export async function tellWebhook(
  { row, mayHaveIt }: Delivery,
  target: WebhookTarget,
  { env, closing }: Surroundings,
): Promise<Told> {
  const signer = signerOf(target.secretEnv, env);
  if (typeof signer === 'string') return { outcome: 'not_ready', error: signer };
  if (mayHaveIt && target.askUrl !== null) {
    const asked = await ask(target.askUrl, row.delivery_id, closing);
    if (asked) return asked;
  }
  const at = new Date();
  let status: number;
  try {
    status = await statusOf({
      method: 'POST',
      url: target.url,
      publicOnly: target.publicOnly ?? false,
      signal: AbortSignal.any([AbortSignal.timeout(LIMITS.deliveryTimeout_ms), closing]),
      headers: {
        'content-type': 'application/json',
        'webhook-id': row.delivery_id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signer.sign(row.delivery_id, at, row.payload),
      },
      body: row.payload,
    });
  } catch (error) {
    return fault(error);
  }
  if (isOk(status))
    return { outcome: 'taken', externalId: row.delivery_id, evidence: `${status} from the webhook` };
  if (status === 410) return { outcome: 'gone', error: 'the webhook says that it is gone (410)' };
  const error = `the webhook answered ${status}`;
  // A gateway that gave up waiting does not know what its server did.
  return [502, 504].includes(status) ? { outcome: 'unknown', error } : { outcome: 'failed', error };
}

/** What signs with the secret in a variable, or why nothing can. The secret itself is in neither. */
export function signerOf(variable: string, env: NodeJS.ProcessEnv): Webhook | string {
  const secret = env[variable];
  if (!secret) return `${variable} is not set, so nothing can be signed`;
  try {
    const signer = new Webhook(secret);
    signer.sign('a', new Date(), 'a');
    return signer;
  } catch {
    return `${variable} is no secret of Standard Webhooks (whsec_ and base64), so nothing can be signed`;
  }
}

/** What the receiver says of a decision it may have; null where it has it not. */
async function ask(askUrl: string, decisionId: string, closing: AbortSignal): Promise<Told | null> {
  try {
    const url = `${askUrl.replace(/(?<!\/)\/+$/, '')}/${encodeURIComponent(decisionId)}`;
    const status = await statusOf({
      method: 'GET',
      url,
      signal: AbortSignal.any([AbortSignal.timeout(LIMITS.deliveryTimeout_ms), closing]),
    });
    if (isOk(status))
      return { outcome: 'taken', externalId: decisionId, evidence: 'the receiver says it has it' };
    if (status === 404) return null;
    return { outcome: 'unknown', error: `asked for it, the receiver answered ${status}` };
  } catch (error) {
    return { outcome: 'unknown', error: `the receiver could not be asked: ${reasonOf(error)}` };
  }
}

const isOk = (status: number): boolean => status >= 200 && status < 300;

const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Before a connection stands nothing was said; afterwards nobody knows what was heard. */
export function fault(error: unknown): Told {
  if (error instanceof InnerAddress) return { outcome: 'failed', error: error.message };
  const code = codeOf(error);
  return { outcome: code !== null && NOT_SENT.has(code) ? 'failed' : 'unknown', error: reasonOf(error) };
}

/** Node hides the code of a failed fetch in a chain of causes. */
function codeOf(error: unknown): string | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as { code?: unknown };
    if (typeof code === 'string') return code;
  }
  return null;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || codeOf(cause) || cause.name : String(cause);
}
