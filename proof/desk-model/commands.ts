import fc from 'fast-check';
import { Answers } from './answers.js';
import { ClaimsNext } from './claims-next.js';
import { intents } from './intent.js';
import { Registers } from './registers.js';
import { Renews } from './renews.js';
import { PEOPLE, WORKS } from './state.js';
import { ReusesKey, Restarts, SendsAgain, TimePasses } from './surroundings.js';

const anybody = fc.constantFrom(...Object.keys(PEOPLE));
const anyWork = fc.constantFrom(...WORKS);

const answer = intents.map((intent) => new Answers(intent));

/** Everything that can happen; answers, the heart of it, stand there several times. */
export const HAPPENINGS = [
  answer,
  answer,
  answer,
  answer,
  answer,
  answer,
  fc
    .tuple(anyWork, fc.constantFrom('owner', 'otto', 'ann', 'vic'), fc.nat(2), fc.boolean())
    .map((drawn) => new Registers(...drawn)),
  anybody.map((who) => new ClaimsNext(who)),
  fc
    .tuple(anyWork, fc.option(anybody, { freq: 2 }), fc.constantFrom(0, 0, 0, 1), fc.option(fc.nat(3)))
    .map((drawn) => new Renews(...drawn)),
  fc.tuple(fc.constantFrom(0, 1, 4, 11, 25, 60, -60), fc.boolean()).map((drawn) => new TimePasses(...drawn)),
  fc.boolean().map((recovers) => new Restarts(recovers)),
  fc.constant(null).map(() => new SendsAgain()),
  fc.constant(null).map(() => new ReusesKey()),
];

/** What every run begins with, so that there is something to do. */
export const OPENING = WORKS.map((work) => new Registers(work, 'owner', 0, false));
