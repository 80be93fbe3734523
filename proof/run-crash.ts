import { lifeKilledAt, unlike } from './crash/run-life.js';

/** `npm run crash [-- FROM TO]`: kills one life at each of its durable steps, one after the other, and finishes it each time. */
const LANES = 2;
const [from = 1, to = Infinity] = process.argv.slice(2).map(Number);
const whole = (await lifeKilledAt(0)).finished;
console.log(`one life has ${whole.steps.length} durable steps and leaves ${whole.receipts.length} receipts`);
let next = from;
let acknowledged = 0;
let survived = 0;
const broken: string[] = [];

async function lane(): Promise<void> {
  for (let step = next++; step <= Math.min(to, whole.steps.length); step = next++) {
    const label = `step ${step}, ${whole.steps[step - 1] ?? ''}`;
    const outcome = await lifeKilledAt(step).catch((error: unknown) => String(error));
    const harm = typeof outcome === 'string' ? outcome : unlike(whole, outcome.finished);
    if (harm) broken.push(`${label}: ${harm}`);
    else survived += 1;
    if (typeof outcome !== 'string') acknowledged += outcome.acknowledged;
    if (harm || step % 25 === 0) console.log(harm ? `BROKEN at ${label}: ${harm}` : `${label}: finished`);
  }
}
await Promise.all(Array.from({ length: LANES }, lane));
console.log(`${survived} kills survived, ${acknowledged} acknowledgements kept, ${broken.length} broken`);
process.exitCode = broken.length === 0 ? 0 : 1;
