import type { DoorLike } from '../../../client.js';
import { present, type Args } from '../args.js';
import { UsageError } from '../failures.js';
import { mediaTypeOf, readSource } from '../read-source.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Submit the result of what you hold',
  arguments: [['<workId>', 'the work']],
  options: [
    { flags: '--interrupt <id>', says: "the claim's interruptId" },
    {
      flags: '--input-version <number>',
      says: 'the version worked on; by default the one of that very wait',
    },
    { flags: '--file <path>', says: 'the result; stored as an artifact first; - reads stdin' },
    { flags: '--media-type <type>', says: "what the file holds; by default from the file's name" },
    { flags: '--artifact <sha256>', says: 'a result that is stored already' },
    { flags: '--head-sha <commit>', says: 'the commit, for code' },
    { flags: '--item <item>', says: 'an item the result covers', repeats: true },
    { flags: '--notes <text>', says: 'a word to the reviewer' },
    { flags: '--adopts <receiptId>', says: "the reference receipt of another's result that this takes over" },
  ],
  examples: [
    'signalbox submit INV-1 --interrupt 5f1c… --file report.json',
    'signalbox submit FIX-7 --interrupt 5f1c… --file summary.md --head-sha "$(git rev-parse HEAD)"',
  ],
  async run(door, args, out) {
    const workId = args.at(0);
    const interruptId = args.interrupt(workId);
    const adopts = args.text('adopts');
    const sha256 = await artifact(door, args);
    if (sha256 === undefined && adopts === undefined)
      throw new UsageError('give the result with --file, or --artifact for one that is stored');
    const body = present({
      interruptId,
      inputVersion: args.number('inputVersion') ?? (await versionOf(door, workId, interruptId)),
      artifact: sha256 === undefined ? undefined : present({ sha256, headSha: args.text('headSha') }),
      items: args.list('item'),
      notes: args.text('notes'),
      adopts,
    });
    out.answer(await door.submit(workId, body, args.call()), tellJudged);
  },
};

async function artifact(door: DoorLike, args: Args): Promise<string | undefined> {
  const path = args.text('file');
  const sha256 = args.text('artifact');
  if (path !== undefined && sha256 !== undefined) throw new UsageError('give either --file or --artifact');
  if (path === undefined) return sha256;
  const mediaType = args.text('mediaType') ?? mediaTypeOf(path);
  return (await door.putArtifact(readSource(path), mediaType)).sha256;
}

/**
 * The input version of that very wait. A correction always comes with a new wait, so a wait has one version: the
 * work's while it waits, and the accepted answer's afterwards, so that the same line sent again is the same request.
 * For any other wait none is made up, and the guard says what is wrong.
 */
async function versionOf(door: DoorLike, workId: string, interruptId: string): Promise<number | undefined> {
  const { wait } = await door.show(workId);
  if (wait?.interruptId === interruptId) return wait.expects.inputVersion;
  const receipts = await door.receipts(workId);
  const answer = receipts.find((each) => each.interruptId === interruptId && each.outcome === 'accepted');
  return answer?.inputVersion ?? undefined;
}
