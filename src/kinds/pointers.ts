/** A JSON Pointer (RFC 6901) to something inside a value; the pointer to the whole is left out on purpose. */
const INNER_POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** The JSON Pointer of a path of keys and indexes. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * A field as people write it, as a JSON Pointer: `issuer` is `/issuer`, and what begins with a slash is
 * a pointer already. Null where it is neither: empty, or a pointer with a bad escape.
 */
export function toPointer(field: string): string | null {
  if (field === '') return null;
  if (!field.startsWith('/')) return pointerOf([field]);
  return INNER_POINTER.test(field) ? field : null;
}
