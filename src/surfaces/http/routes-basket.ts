import { z } from 'zod';
import { basketRequest } from '../../operations/basket/basket.js';
import { dailyMarkdown } from '../../operations/basket/daily-markdown.js';
import { dailyRequest } from '../../operations/basket/daily.js';
import { rangeRequest } from '../../operations/basket/ranges.js';
import { anything, pageOf } from './answer-schemas.js';
import { ok, type Route } from './route.js';

const LOOK = 'viewer, worker, reviewer, operator, owner';

/** What waits for people, and the numbers. */
export const basketRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/basket',
    operation: 'basket',
    summary: 'What waits for people, the most pressing first, with the exact total of the view',
    roles: `${LOOK}; a scout its own`,
    query: basketRequest,
    answers: { 200: pageOf(anything) },
    handle: async ({ door, query }) => ok(await door.basket(query)),
  },
  {
    method: 'get',
    path: '/v1/stats',
    operation: 'stats',
    summary: 'Counts per kind and class, or per worker with by=holder',
    roles: LOOK,
    query: rangeRequest,
    answers: { 200: z.looseObject({ at: z.string(), range: anything }) },
    handle: async ({ door, query }) => ok(await door.stats(query)),
  },
  {
    method: 'get',
    path: '/v1/reports/daily',
    operation: 'dailyReport',
    summary: "A day's close; as Markdown where the Accept header asks for it",
    roles: LOOK,
    query: dailyRequest,
    answers: { 200: anything },
    async handle({ door, query, request }) {
      const report = await door.dailyReport(query);
      if (!/\btext\/markdown\b/.test(request.headers.get('accept') ?? '')) return ok(report);
      return new Response(dailyMarkdown(report), {
        headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-store' },
      });
    },
  },
];
