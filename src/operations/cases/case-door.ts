import type { Authenticated } from '../../gates/authorization.js';
import type { CallOptions } from '../answer-wait.js';
import type { Desk } from '../desk.js';
import { provideInfo, requestInfo } from './ask.js';
import { closeDeadLetter, deadLetters, redrive } from './dead-letters.js';
import { decideCase } from './decide-case.js';
import { recordException } from './record-exception.js';
import { showCase } from './show-case.js';
import { setSwitch, switches } from './switches.js';
import { tellNow } from './tell-now.js';

/** The verbs around cases, as part of the door. Claim, release and handoff of a case are those of any work. */
export function caseVerbs(desk: Desk, who: Authenticated) {
  return {
    recordException: (body: unknown, options?: CallOptions) => recordException(desk, who, body, options),
    showCase: (id: string, query?: unknown) => showCase(desk, who, id, query),
    requestInfo: (id: string, body: unknown, options?: CallOptions) =>
      requestInfo(desk, who, id, body, options),
    provideInfo: (id: string, body: unknown, options?: CallOptions) =>
      provideInfo(desk, who, id, body, options),
    decideCase: (id: string, body: unknown, options?: CallOptions) =>
      decideCase(desk, who, id, body, options),
    deadLetters: (query?: unknown) => deadLetters(desk, who, query),
    redrive: (id: string, body: unknown, options?: CallOptions) => redrive(desk, who, id, body, options),
    closeDeadLetter: (id: string, body: unknown, options?: CallOptions) =>
      closeDeadLetter(desk, who, id, body, options),
    tellNow: (id: string, body: unknown, options?: CallOptions) => tellNow(desk, who, id, body, options),
    setSwitch: (body: unknown, options?: CallOptions) => setSwitch(desk, who, body, options),
    switches: () => switches(desk, who),
  };
}
