/** FNV-1a, 32 bits, by default from the published basis. */
export function fnv1a(text: string, basis = 0x811c9dc5): number {
  let hash = basis
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
