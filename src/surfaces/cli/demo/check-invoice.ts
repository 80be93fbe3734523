/** What a checker hands in for an invoice, as the kind `invoice-check` wants it. */
export interface InvoiceReport {
  readonly decision: 'ok' | 'discrepancies';
  readonly checkedTotal: number;
  readonly discrepancies: readonly string[];
}

interface Invoice {
  readonly currency: string;
  readonly total: number;
  readonly lines: readonly { readonly description: string; readonly amount: number }[];
}

/** Adds the lines up and compares. Amounts are in units of the currency, compared in hundredths. */
export function checkInvoice(input: unknown): InvoiceReport {
  const { currency, total, lines } = input as Invoice;
  const sum_cents = lines.reduce((sum, line) => sum + Math.round(line.amount * 100), 0);
  const checkedTotal = sum_cents / 100;
  if (sum_cents === Math.round(total * 100)) return { decision: 'ok', checkedTotal, discrepancies: [] };
  return {
    decision: 'discrepancies',
    checkedTotal,
    discrepancies: [`the lines add up to ${checkedTotal} ${currency}, the invoice says ${total}`],
  };
}

/** What a careless checker hands in: the printed total, believed. */
export function believeInvoice(input: unknown): InvoiceReport {
  return { decision: 'ok', checkedTotal: (input as Invoice).total, discrepancies: [] };
}
