import type { Desk } from '../desk.js';
import { letterOf, type NewLetter } from './dead-letters.js';

/** Puts aside what an intake could not take; durable when it returns, so the queue may forget it. */
export function keepLetter(desk: Desk, letter: NewLetter): Promise<void> {
  return desk.store.write(() => letterOf(desk, letter));
}
