import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { defineKind } from './define-kind.js';

const text = z.string().refine((value) => value.trim() !== '', 'must not be blank');

/**
 * A tracker's number, or its text where it counts otherwise (`bd-12`). Digits in quotes are refused:
 * 42 and "42" would be two identities for one issue.
 */
const issueNumber = z.union([
  z.int().positive(),
  text.refine((value) => !/^\s*\d+\s*$/.test(value), 'must be a number without quotes'),
]);

const change = z.looseObject({
  repository: text,
  issueNumber,
  title: z.string().optional(),
  description: z.string().optional(),
  /** Where the repository lies on the machine that validates; the commit is looked up there. */
  repositoryPath: z
    .string()
    .refine((path) => isAbsolute(path), 'must be an absolute path')
    .optional(),
});

/** A change of source code for one issue: the artifact is a commit, named by its `headSha`. */
export const codeChange = defineKind({
  name: 'code-change',
  description: 'Change a repository for one issue; the result is a commit.',
  identity: ['repository', 'issueNumber'],
  input: change,
  requiresHeadSha: true,
  validators: [{ type: 'commit', name: 'commit', repositoryField: '/repositoryPath' }],
  skips: ['ASSET_GATE', 'OBSERVING'],
  completion: 'merge',
  ownerOnly: ['publish'],
  effects: ['merge'],
  titleFrom: 'title',
});
