/** The kinds that the storm's servers know: short leases, so that many run out, and no limits that end a work early. */
export const STORM_KINDS = {
  kinds: [
    {
      name: 'storm',
      description: 'No effects outside: where nothing is left behind, the desk itself finds nothing.',
      artifactMediaType: 'application/json',
      validators: [{ type: 'required', fields: ['of'] }],
      lease: { lease_ms: 5_000, leaseLimit_ms: 60_000, noProgress_ms: 60_000 },
      roundLimit: 1_000,
      leaseLossLimit: 1_000,
      autoNothingFound: true,
      skips: ['OBSERVING', 'ASSET_GATE'],
    },
    {
      name: 'storm-effect',
      description: 'Has effects, every stage, and somebody who looks when a reservation has run out.',
      artifactMediaType: 'application/json',
      validators: [{ type: 'required', fields: ['of'] }],
      lease: { lease_ms: 5_000, leaseLimit_ms: 60_000, noProgress_ms: 60_000 },
      roundLimit: 1_000,
      leaseLossLimit: 1_000,
      effects: ['send'],
    },
  ],
} as const;

/** Out of how many registrations one has effects. */
export const EFFECTS_EVERY = 5;
