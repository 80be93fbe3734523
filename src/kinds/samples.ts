import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../core/kind.js';

/** A sample as the body of a registration. */
export interface SampleRequest {
  readonly kind: 'invoice-check';
  readonly input: { readonly [field: string]: Json };
  /** There where the sample corrects an earlier one: same identity, other content. */
  readonly correction?: { readonly reason: string };
}

/** `<package>/samples/invoices`, from `src/kinds` as from `dist/kinds`. */
const SAMPLE_FOLDER = fileURLToPath(new URL('../../samples/invoices/', import.meta.url));

/**
 * The sample invoices in the order of their file names, so that the corrected one comes after what it corrects.
 * They are ours, made up; among them are a wrong total, a correction and a credit note.
 * Rejects when the folder cannot be read or a file is not a JSON object.
 */
export async function loadSampleInvoices(folder: string = SAMPLE_FOLDER): Promise<readonly SampleRequest[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  names.sort();
  return Promise.all(names.map((name) => loadSample(join(folder, name))));
}

async function loadSample(path: string): Promise<SampleRequest> {
  const input = JSON.parse(await readFile(path, 'utf8')) as Json;
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new TypeError(`${path} does not hold an invoice`);
  const note = input['correctionNote'];
  return { kind: 'invoice-check', input, ...(typeof note === 'string' && { correction: { reason: note } }) };
}
