import { move } from '../move.js';

export const verb = move('resume', 'End a pause: the work goes back to where it was', 'the supplier is back');
