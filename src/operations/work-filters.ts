import { z } from 'zod';
import { LIMITS } from '../core/limits.js';
import { STATUSES, type Caller } from '../core/work.js';
import { listOf, sql, type Statement } from '../ledger/sql.js';

const name = z.string().max(LIMITS.name_chars);
const several = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().flatMap((each) => each.split(',')));

/** What every list of works can be narrowed by, in whatever order it comes. Several values are given apart or with commas. */
export const filterFields = {
  status: several.pipe(z.array(z.enum(STATUSES))).optional(),
  kind: several.pipe(z.array(name)).optional(),
  holder: name.optional(),
  /** Of cases only: who has been named to look at them. */
  team: name.optional(),
  /** Part of a title or of a work's ID, in whatever case. */
  q: z.string().max(200).optional(),
};
export type WorkFilter = z.infer<z.ZodObject<typeof filterFields>>;

/** Conditions on `works w`: the tenant's works that this caller may see, as far as the filter lets them through. */
export function filterConditions(caller: Caller, { status, kind, holder, team, q }: WorkFilter): Statement[] {
  const conditions = [sql`w.tenant = ${caller.tenant}`];
  if (caller.roles.every((role) => role === 'scout'))
    conditions.push(sql`w.created_by = ${caller.principal}`);
  if (status) conditions.push(sql`w.status IN ${listOf(status)}`);
  if (kind) conditions.push(sql`w.kind IN ${listOf(kind)}`);
  if (holder) conditions.push(sql`w.holder = ${holder}`);
  if (team)
    conditions.push(
      sql`EXISTS (SELECT 1 FROM cases t WHERE t.tenant = w.tenant AND t.work_id = w.work_id AND t.team = ${team})`,
    );
  if (q) {
    const like = `%${q.toLowerCase().replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
    conditions.push(
      sql`(lower(w.title) LIKE ${like} ESCAPE '\\' OR lower(w.work_id) LIKE ${like} ESCAPE '\\')`,
    );
  }
  return conditions;
}
