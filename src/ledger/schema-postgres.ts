import { POSITION_KEY, SCHEMA_1 } from './schema.js';

/** Marks our advisory locks among those of other programs on the same database: the upper 16 bits of their keys. */
export const LOCK_TAG = 0x5342;

/**
 * The shared tables as PostgreSQL spells them. Text compares by its bytes, as in SQLite, whatever the server's locale:
 * an order that a cursor stands on must not change with an operating system's upgrade.
 */
const TABLES = SCHEMA_1.replace(POSITION_KEY, 'BIGINT PRIMARY KEY').replaceAll(
  /\bTEXT\b/g,
  'TEXT COLLATE "C"',
);

/** Positions of history and the locks that say which of them are still open. Position 0 is nobody's. */
const POSITIONS = `
CREATE SEQUENCE history_position MINVALUE 0 START 0;
SELECT nextval('history_position');
CREATE FUNCTION signalbox_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('signalbox.positioned', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
    PERFORM pg_advisory_xact_lock_shared((${LOCK_TAG}::bigint << 48) | (SELECT last_value FROM history_position));
    PERFORM set_config('signalbox.positioned', pg_current_xact_id()::text, true);
  END IF;
  NEW.position := nextval('history_position');
  RETURN NEW;
END $$;
CREATE TRIGGER history_position BEFORE INSERT ON history FOR EACH ROW EXECUTE FUNCTION signalbox_position();
`;

const REFUSED = 'signalbox: this thread belongs to a work; answer it through the desk';

/** A trigger that refuses a change, where its condition holds. */
function refusal(name: string, when: string, table: string, condition: string, message: string): string {
  return `
CREATE FUNCTION signalbox_${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF ${condition} THEN RAISE EXCEPTION '${message}' USING ERRCODE = 'SB001'; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER ${name} BEFORE ${when} ON ${table} FOR EACH ROW EXECUTE FUNCTION signalbox_${name}();
`;
}

const ofWork = (row: 'NEW' | 'OLD'): string =>
  `EXISTS (SELECT 1 FROM works w WHERE w.thread_id = ${row}.thread_id)`;
const isHead = (row: 'NEW' | 'OLD'): string =>
  `EXISTS (SELECT 1 FROM works w WHERE w.thread_id = ${row}.thread_id AND w.checkpoint_id = ${row}.checkpoint_id)`;
const isStored = (row: 'NEW' | 'OLD'): string =>
  `EXISTS (SELECT 1 FROM checkpoints c WHERE c.thread_id = ${row}.thread_id AND c.checkpoint_ns = ${row}.checkpoint_ns AND c.checkpoint_id = ${row}.checkpoint_id)`;

/** The same second locks as SQLite's, on LangGraph's own tables too: whoever holds a connection meets them. */
const GUARDS = [
  refusal('history_no_update', 'UPDATE', 'history', 'true', 'signalbox: history is append-only'),
  refusal('history_no_delete', 'DELETE', 'history', 'true', 'signalbox: history is append-only'),
  `CREATE FUNCTION signalbox_no_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'signalbox: history and receipts are kept' USING ERRCODE = 'SB001'; END $$;
CREATE TRIGGER history_no_truncate BEFORE TRUNCATE ON history FOR EACH STATEMENT EXECUTE FUNCTION signalbox_no_truncate();
CREATE TRIGGER receipts_no_truncate BEFORE TRUNCATE ON receipts FOR EACH STATEMENT EXECUTE FUNCTION signalbox_no_truncate();
`,
  refusal('receipts_no_delete', 'DELETE', 'receipts', 'true', 'signalbox: receipts are kept'),
  refusal(
    'receipts_no_rewrite',
    'UPDATE',
    'receipts',
    "to_jsonb(NEW) - 'applied_at' IS DISTINCT FROM to_jsonb(OLD) - 'applied_at'",
    'signalbox: receipts are kept as they were given',
  ),
  `CREATE UNIQUE INDEX checkpoints_no_fork ON checkpoints (thread_id, checkpoint_ns, coalesce(parent_checkpoint_id, ''));
`,
  refusal(
    'checkpoints_announced',
    'INSERT',
    'checkpoints',
    `${ofWork('NEW')} AND (NOT ${isHead('NEW')} OR ${isStored('NEW')})`,
    REFUSED,
  ),
  refusal('checkpoints_no_update', 'UPDATE', 'checkpoints', ofWork('OLD'), REFUSED),
  refusal(
    'writes_before_checkpoint',
    'INSERT',
    'checkpoint_writes',
    `${ofWork('NEW')} AND ${isStored('NEW')}`,
    REFUSED,
  ),
  refusal('writes_no_update', 'UPDATE', 'checkpoint_writes', ofWork('OLD'), REFUSED),
  refusal('blobs_no_update', 'UPDATE', 'checkpoint_blobs', ofWork('OLD'), REFUSED),
  refusal(
    'checkpoints_keep_head',
    'DELETE',
    'checkpoints',
    isHead('OLD'),
    'signalbox: the head of the thread of a work is kept',
  ),
  refusal(
    'writes_keep_head',
    'DELETE',
    'checkpoint_writes',
    isHead('OLD'),
    'signalbox: the wait of the thread of a work is kept',
  ),
  refusal(
    'blobs_keep_head',
    'DELETE',
    'checkpoint_blobs',
    `EXISTS (SELECT 1 FROM works w JOIN checkpoints c ON c.thread_id = w.thread_id AND c.checkpoint_id = w.checkpoint_id
      WHERE w.thread_id = OLD.thread_id AND c.checkpoint_ns = OLD.checkpoint_ns AND c.checkpoint -> 'channel_versions' ->> OLD.channel = OLD.version)`,
    'signalbox: the state of the thread of a work is kept',
  ),
].join('');

export const POSTGRES_1 = TABLES + POSITIONS + GUARDS;
