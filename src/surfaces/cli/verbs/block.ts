import { move } from '../move.js';

export const verb = move(
  'block',
  'Say that a work waits for an outside condition',
  'the delivery note is missing',
);
