import { move } from '../move.js';

export const verb = move('cancel', 'End a work that is not to be done', 'ordered twice by mistake');
