import { move } from '../move.js';

export const verb = move('hold', 'Pause a work on purpose', 'the supplier is on holiday until Monday');
