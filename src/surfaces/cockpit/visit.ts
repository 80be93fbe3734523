import type { Child } from 'hono/jsx';
import type { Desk } from '../../operations/desk.js';
import type { Door } from '../../operations/door.js';
import type { Session } from '../../operations/sessions.js';
import type { Language, Say } from './language.js';

/** One request to a page by somebody who is signed in. */
export interface Visit {
  readonly desk: Desk;
  readonly session: Session;
  /** The visitor's verbs; rights are checked again at every act. */
  readonly door: Door;
  readonly t: Say;
  readonly language: Language;
  readonly now_ms: number;
  readonly request: Request;
  /** Path and query, as the browser asked for them. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** A value of the path, decoded; '' where the path has none of that name. */
  readonly param: (name: string) => string;
}

/** The parts of the cockpit, as its navigation names them. */
export const SECTIONS = ['board', 'gates', 'reviews', 'basket', 'health', 'people', 'import'] as const;
export type Section = (typeof SECTIONS)[number];

/** What a page is made of; the layout puts the rest around it. */
export interface Page {
  readonly title: string;
  readonly section?: Section;
  readonly body: Child;
  readonly status?: number;
  /** Scripts beyond those of every page, by asset name. */
  readonly scripts?: readonly string[];
}

export function isOwner(session: Session): boolean {
  return session.roles.includes('owner');
}

/** Whether it makes sense to offer something; whether it is allowed is decided when it is tried. */
export function hasRole(session: Session, ...roles: readonly string[]): boolean {
  return isOwner(session) || roles.some((role) => session.roles.includes(role));
}
