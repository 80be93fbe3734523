/** Every bound of the desk, with its unit in its name, in this one file. */
export const LIMITS = {
  /** Largest JSON request body. */
  jsonBody_bytes: 1_048_576,
  /** Largest artifact that PUT /artifacts takes. */
  artifact_bytes: 64 * 1_048_576,
  /** Largest piece of an artifact that is written without giving way to others, and largest file read so. */
  writtenAtOnce_bytes: 65_536,
  readAtOnce_bytes: 65_536,
  /** Times that an upload is sent to an S3-compatible store, and the pause after the first; longer after each. */
  uploadTries: 4,
  uploadPause_ms: 200,
  /** How old an unfinished upload must be before it counts as left behind by a crash. */
  incoming_ms: 24 * 3_600_000,
  /** Largest single line of an import. */
  importLine_bytes: 1_048_576,
  /** Deepest nesting of any JSON we take. */
  json_depth: 64,
  workId_chars: 200,
  title_chars: 500,
  reason_chars: 4_000,
  note_chars: 20_000,
  reference_chars: 2_000,
  idempotencyKey_chars: 255,
  name_chars: 100,
  findings: 200,
  findingMessage_chars: 4_000,
  items: 10_000,
  item_chars: 500,
  blockers: 500,
  page_default: 50,
  page_max: 200,
  /** How long an answer waits for its own apply before it returns with `applied: false`. */
  applyWait_ms: 10_000,
  /** How long one process may work at applying a receipt before another takes over. */
  applierLease_ms: 15_000,
  /** Attempts of one receipt's apply before it is left to the operator as a failed apply. */
  applyAttempts: 8,
  /** Pause between looks for reservations that have run out. */
  expirySweep_ms: 1_000,
  /** Times a correction waits for the answer it meets to be applied. */
  correctionAttempts: 5,
  /** Pause between looks for receipts accepted but not applied. */
  recovery_ms: 2_000,
  /** Threads one recovery pass takes on. */
  recoveryBatch: 200,
  /** How long a SQLite connection waits for another process's write. */
  sqliteBusy_ms: 10_000,
  /** How soon a write looks again whether that process has finished. */
  sqliteRetry_ms: 1,
  /** SQLite's write-ahead log is copied into the database once it has this many pages of 4 KiB. */
  sqliteWal_pages: 4_000,
  /** How often a process asks whether another one wrote to its SQLite file, while somebody wants to hear of it. */
  sqliteSignal_ms: 20,
  /** Jobs that one group commit takes along. */
  groupCommit_jobs: 256,
  /** Retries of a whole transaction after a serialization failure, deadlock or lost connection. */
  transactionRetries: 10,
  /** First pause before a transaction is run again; doubled each time up to the longest, with jitter. */
  transactionPause_ms: 5,
  transactionPauseMax_ms: 1_000,
  /** How long a lost database is waited for before a caller is told to come back. */
  databaseGone_ms: 30_000,
  /** Connections of one process. */
  postgresPool: 16,
  /** How long to wait for a connection, a lock, a statement, and for the next statement of a transaction. */
  postgresConnect_ms: 10_000,
  postgresLock_ms: 15_000,
  postgresStatement_ms: 60_000,
  postgresIdleTransaction_ms: 60_000,
  /** Statements that a connection keeps prepared; rarer ones are planned each time. */
  postgresPrepared: 400,
  /** Statements that are sent together, at most. */
  postgresFlight: 128,
  /** Least pause between two signals to other processes that something was written. */
  postgresSignal_ms: 20,
  /** How long what was read of the order of commits is used again, by all event streams of a process. */
  postgresSettled_ms: 50,
  /** Looks for the next work that one claim-next makes where others are at what it finds, and the pause that grows with them. */
  claimLooks: 10,
  claimPause_ms: 50,
  changes: 500,
  /** Threads that one transaction of `prune` clears, and ended works that it looks at in one piece. */
  pruneBatch: 25,
  pruneLook: 500,
  /** Pause between two passes of scheduled retention, and until one that was begun and never ended is begun again. */
  retention_ms: 24 * 3_600_000,
  retentionTurn_ms: 3_600_000,
  /** How often a server looks whether it is time for retention. */
  retentionLook_ms: 10 * 60_000,
  /** Rows that `verify` reads at a time. */
  verifyBatch: 500,
  /** Differences that one report of `verify` lists; all are counted. */
  verifyDifferences: 1_000,
  /** Looks at a work that is being changed while it is verified, before what was found is believed. */
  verifyLooks: 5,
  /** How long a one-time sign-in link lives. */
  signInLink_ms: 15 * 60_000,
  /** How long a browser session lives without being used, and at most. */
  sessionIdle_ms: 12 * 3_600_000,
  session_ms: 7 * 24 * 3_600_000,
  /** How stale a session's last use may be on record, so that reading a page is not a write. */
  sessionSeen_ms: 5 * 60_000,
  /** Largest artifact that a page renders; larger ones are offered for download. */
  rendered_bytes: 512 * 1024,
  /** How long one text may keep the Markdown parser busy. */
  rendered_ms: 500,
  /** Rows of a rendered table or difference before the page says that there is more. */
  renderedRows: 2_000,
  /** How long working out one difference may take. */
  difference_ms: 500,
  /** Requests per second that one token may make over time, and at once after a pause. */
  requests_perSecond: 1_000,
  requestBurst: 5_000,
  /** Requests of one token that may run at the same time; event streams count. */
  concurrentRequests: 256,
  /** Tokens whose rates are remembered before those with nothing running are forgotten. */
  limitedCallers: 10_000,
  /** Wrong tokens, codes and sessions that one address may show over time, and at once after a pause. */
  failedAttempts_perSecond: 5,
  failedAttemptBurst: 100,
  /** How often an event stream looks for what is new although it heard of nothing. */
  eventsLook_ms: 1_000,
  /** How soon a reader of events comes back when it was cut off, and a slow one is asked again whether it is ready. */
  eventsPoll_ms: 200,
  /** How soon it looks again when it hears that something was written. */
  eventsPace_ms: 20,
  /** How long an event stream may be silent before it shows a sign of life and checks its token again. */
  eventsPulse_ms: 5_000,
  eventsBatch: 500,
  /** Streams that are woken in one piece when there is something new: whoever writes meanwhile gets their turn. */
  eventsWoken: 64,
  /** How long a request may take to arrive, a long import included. */
  requestBody_ms: 30 * 60_000,
  /** How long a stopping server waits for what is in flight. */
  shutdown_ms: 15_000,
  exceptionId_chars: 300,
  /** Items of evidence, and of operations, that one case or message brings. */
  evidence: 100,
  /** Arrivals of one exception that are kept one by one; more are counted. */
  caseObservations: 1_000,
  /** Rounds of looking again when another writer was faster at the same case. */
  caseAttempts: 8,
  /** When a sender whose newer content found no quiet moment may try again. */
  caseBusy_ms: 1_000,
  /** First pause after a delivery that failed; doubled each time up to the longest, with jitter. */
  deliveryPause_ms: 1_000,
  deliveryPauseMax_ms: 10 * 60_000,
  /** Failed deliveries of one decision before it goes to the dead letters: about a day. */
  deliveryAttempts: 150,
  /** Pause before a case whose origin has its decision is completed again, where that was refused. */
  completionPause_ms: 60_000,
  /** Pause before a process that cannot sign a delivery looks whether it can. */
  deliveryUnready_ms: 10_000,
  /** How long one delivery may take. */
  deliveryTimeout_ms: 15_000,
  /** How long a process keeps a delivery to itself before another takes it up. */
  deliveryLease_ms: 60_000,
  /** Deliveries that a process has under way at once, and of these to one origin: one that hangs delays only its own. */
  deliveries: 64,
  deliveriesPerOrigin: 4,
  /** Pause between looks for deliveries, questions and deadlines that are due. */
  deliveryPoll_ms: 1_000,
  /** Bytes of an origin's answer that are read. */
  deliveryAnswer_bytes: 65_536,
  /** How often something that keeps failing is said again in the log, and how many such things are remembered. */
  complaintAgain_ms: 10 * 60_000,
  complaints: 1_000,
  /** Times that a case is passed on for being overdue. */
  escalations: 5,
  /** Cases that one pass of the timers takes on. */
  caseSweep: 200,
  /** How old the numbers of one scrape may be, in ms. */
  metricsAge_ms: 10_000,
  /** Works ended within a range whose dwell is worked out one by one; of more, from counts per day and span. */
  dwellExact: 5_000,
  /** A page shows every item in the order of this long before its first page, so that late commits change nothing. */
  basketSettling_ms: 5_000,
  /** How long an accepted answer may wait for its thread before the basket shows it as not applied. */
  notAppliedAfter_ms: 5_000,
  /** Largest request of an MCP client; a result may come inline. */
  mcpBody_bytes: 8 * 1_048_576,
  /** Most of an artifact that one answer to a model carries. */
  mcpArtifact_bytes: 128 * 1024,
  /** How long a command has to end by itself after SIGTERM before its process group is killed. */
  taskGrace_ms: 5_000,
  /** How long output is still read after a command ended, where something that left its group holds the pipe. */
  taskDrain_ms: 500,
  /** Longest line of a command that is looked at in one piece. */
  taskLine_chars: 64 * 1024,
  /** How much of what a command prints is kept as its log. */
  taskLog_chars: 1024 * 1024,
  /** Longest and shortest pause between two renewals of a worker's lease; a third of the lease where that is between. */
  taskRenewal_ms: 60_000,
  taskRenewalMin_ms: 500,
  /** Pause of a worker that found nothing to do, or whose work failed; doubled each time up to the longest. */
  workerPause_ms: 500,
  workerPauseMax_ms: 15_000,
  /** Works that one worker process does at a time. */
  workerConcurrency: 64,
  /** Times that a chat model is told that its answer is not what the kind wants. */
  modelAnswers: 3,
} as const;
