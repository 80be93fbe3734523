import { basketRoutes } from './routes-basket.js';
import { caseRoutes } from './routes-cases.js';
import { deskRoutes } from './routes-desk.js';
import { judgeRoutes, lifeRoutes, moveRoutes } from './routes-answers.js';
import { aroundRoutes } from './routes-life.js';
import { workRoutes } from './routes-works.js';
import type { Route } from './route.js';

/**
 * THE route table. Routing, /openapi.json and the authorization test are generated from it, so a route that is not
 * here does not exist. A new verb is a row in one of these lists (and a line in src/client.ts).
 */
export const ROUTES: readonly Route[] = [
  ...workRoutes,
  ...moveRoutes,
  ...judgeRoutes,
  ...lifeRoutes,
  ...aroundRoutes,
  ...caseRoutes,
  ...basketRoutes,
  ...deskRoutes,
];
