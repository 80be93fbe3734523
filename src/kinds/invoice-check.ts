import { z } from 'zod';
import { defineKind } from './define-kind.js';

const text = z.string().refine((value) => value.trim() !== '', 'must not be blank');

/** Extra fields are allowed everywhere: a real invoice carries more than what we compare. */
const invoice = z.looseObject({
  issuer: text,
  invoiceNumber: text,
  /** What the invoice is for, as its issuer writes it: `2025-03`, `2025-Q1`. Part of the identity. */
  period: text,
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency code of three capital letters, such as EUR'),
  /** In units of the currency; negative on a credit note. */
  total: z.number(),
  lines: z.array(
    z.looseObject({
      description: text,
      quantity: z.number().optional(),
      unitPrice: z.number().optional(),
      amount: z.number(),
    }),
  ),
});

const discrepancy = z.union([text, z.looseObject({})]);

const report = z
  .looseObject({
    decision: z.enum(['ok', 'discrepancies']),
    /** The total as the checker worked it out, in units of the invoice's currency. */
    checkedTotal: z.number(),
    discrepancies: z.array(discrepancy),
    notes: z.string().nullish(),
  })
  // A reviewer who reads only the decision must not be told "ok" above a list of faults.
  .refine((one) => (one.decision === 'ok') === (one.discrepancies.length === 0), {
    path: ['discrepancies'],
    message: 'must be empty for "ok" and name at least one for "discrepancies"',
  });

/** An invoice to be checked, and then paid: paying is the owner's to allow. */
export const invoiceCheck = defineKind({
  name: 'invoice-check',
  description: 'Check an invoice against its own lines, then pay it.',
  identity: ['issuer', 'invoiceNumber', 'period'],
  input: invoice,
  artifact: report,
  artifactMediaType: 'application/json',
  skips: ['OBSERVING', 'ASSET_GATE'],
  completion: 'pay',
  ownerOnly: ['pay'],
  effects: ['pay'],
  titleFrom: 'invoiceNumber',
});
