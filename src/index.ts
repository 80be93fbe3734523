export { openSignalbox, type OpenOptions, type Signalbox } from './open-signalbox.js';
export { defineConfig } from './kinds/load-config.js';
export { defineKind } from './kinds/define-kind.js';
export { Refusal, REFUSALS, type RefusalCode } from './core/refusals.js';
export { TRANSITIONS, mermaid } from './core/transitions.js';
export type { Kind } from './core/kind.js';
export type { Position, Status } from './core/work.js';
export type { Door } from './operations/door.js';
export type { WorkView, ReceiptView, EventView } from './operations/views.js';
