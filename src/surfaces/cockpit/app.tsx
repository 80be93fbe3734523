import { Hono } from 'hono';
import type { Desk } from '../../operations/desk.js';
import { artifactScreens } from './artifact-download.js';
import { assetResponse } from './assets.js';
import { basketScreens } from './basket.js';
import { boardScreens } from './board.js';
import { dailyScreens } from './daily.js';
import { gateScreens } from './gates.js';
import { healthScreens } from './health.js';
import { importScreens } from './import-page.js';
import { peopleScreens } from './people.js';
import { guideScreens, type LoadSamples } from './guide.js';
import { liveScreens } from './live.js';
import { reassignScreens } from './reassign.js';
import { reviewScreens } from './reviews.js';
import { rulesScreens } from './rules-page.js';
import { workScreens } from './work-screens.js';
import { screensOf } from './screens.js';
import { signInRoutes } from './sign-in.js';

export interface CockpitOptions {
  /** Aborted when the server stops, so that live pages end. */
  readonly closing: AbortSignal;
  /** The samples of the first-visit guide. */
  readonly samples: LoadSamples;
}

/** The cockpit of a desk: pages for people, over the same operations as every other door. Mount it at `/`. */
export function cockpitApp(desk: Desk, options: CockpitOptions): Hono {
  const app = new Hono();
  app.get(
    '/cockpit/:asset',
    async (c) => (await assetResponse(c.req.param('asset'), c.req.raw)) ?? c.notFound(),
  );
  signInRoutes(app, desk);
  const screens = screensOf(app, desk);
  boardScreens(screens, options.samples);
  gateScreens(screens);
  reviewScreens(screens);
  basketScreens(screens);
  reassignScreens(screens);
  workScreens(screens);
  healthScreens(screens);
  dailyScreens(screens);
  rulesScreens(screens);
  peopleScreens(screens);
  importScreens(screens);
  artifactScreens(screens);
  guideScreens(screens, options.samples);
  liveScreens(screens, options.closing);
  return app;
}
