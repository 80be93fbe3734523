const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** An RFC 3339 time in UTC with milliseconds; null when the text is none, or names a day that does not exist. */
export function utcTime(text: string): string | null {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  if (year === undefined) return null;
  // The parser takes 30 February for 2 March, so the day is looked up in the calendar first.
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null;
  return new Date(text).toISOString();
}
