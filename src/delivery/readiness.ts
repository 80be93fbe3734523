import type { CasePolicy } from '../core/case.js';
import type { Say } from '../telemetry/complaints.js';
import { signerOf } from './webhook.js';

/** Says which origins this process cannot tell for want of a secret: better at its start than at the first decision. */
export function sayUnready(policy: CasePolicy, env: NodeJS.ProcessEnv, say: Say): void {
  for (const [system, target] of policy.origins) {
    if (target.type === 'webhook') unsigned(`the origin ${system}`, target.secretEnv);
    if (target.type === 'langgraph' && target.apiKeyEnv !== null && !env[target.apiKeyEnv])
      say(`the origin ${system} cannot be told`, { error: `${target.apiKeyEnv} is not set` });
  }
  if (policy.webhookAllow.length > 0 && policy.webhookSecretEnv !== null)
    unsigned('call-backs', policy.webhookSecretEnv);

  function unsigned(whom: string, variable: string): void {
    const signer = signerOf(variable, env);
    if (typeof signer === 'string') say(`${whom} cannot be told`, { error: signer });
  }
}
