import type { Desk } from '../../operations/desk.js';
import type { Who } from '../http/route.js';

/** What every handler here works with: the desk, and who asks. */
export interface LangGraphEnv {
  Variables: { desk: Desk; who: Who };
}
