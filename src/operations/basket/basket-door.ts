import type { Authenticated } from '../../gates/authorization.js';
import type { Desk } from '../desk.js';
import { basket } from './basket.js';
import { dailyReport } from './daily.js';
import { stats } from './stats.js';

/** The verbs of the basket and its numbers, as part of the door. */
export function basketVerbs(desk: Desk, who: Authenticated) {
  return {
    basket: (query?: unknown) => basket(desk, who, query),
    stats: (query?: unknown) => stats(desk, who, query),
    dailyReport: (query?: unknown) => dailyReport(desk, who, query),
  };
}
