import { defineKind } from './define-kind.js';

/** Any work at all: known by its `workId`, with any JSON as input and any bytes as artifact. */
export const generic = defineKind({
  name: 'generic',
  description: 'Any work: any JSON input, any artifact, known by its workId.',
  identity: [],
  skips: ['OBSERVING', 'ASSET_GATE'],
  completion: 'complete',
  effects: [],
});
