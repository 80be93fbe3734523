import { move } from '../move.js';

export const verb = move(
  'unblock',
  'Say that the outside condition has come: the work goes back to where it was',
  'the delivery note has come',
);
