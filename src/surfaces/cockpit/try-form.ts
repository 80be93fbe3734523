import { Refusal } from '../../core/refusals.js';
import { seeOther } from './headers.js';
import type { Page } from './visit.js';

/**
 * Does what a form asks and sends its reader on; a refusal comes back on the form's own page, where what was typed is
 * kept. Whoever is not signed in any more is no case for that page.
 * @param act gives where to go on to
 */
export async function tryForm(
  act: () => Promise<string>,
  refusedPage: (refusal: Refusal) => Promise<Page>,
): Promise<Page | Response> {
  let next: string;
  try {
    next = await act();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'UNAUTHENTICATED') throw error;
    return await refusedPage(error);
  }
  return seeOther(next);
}
