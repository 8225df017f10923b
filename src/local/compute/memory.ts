import { readFileSync } from 'node:fs'

const MIB = 2 ** 20

/** What the system of a compute takes besides Postgres, bytes. */
const SYSTEM = 100 * MIB

/**
 * Bytes a server and its processes use, shared memory once; undefined where the machine does not tell. Caches of the
 * operating system count as available, as in the service.
 */
export function usedMemory(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const sizes = [String(pid), ...children].filter(Boolean).map(sizesOf)
    return (
      SYSTEM + sizes.reduce((sum, { own }) => sum + own, 0) + Math.max(...sizes.map(({ shared }) => shared))
    )
  } catch {
    return undefined // not Linux, or a process ended while we looked: the next look tells
  }
}

function sizesOf(pid: string): { readonly own: number; readonly shared: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string): number =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  return { own: bytes('RssAnon'), shared: bytes('RssShmem') }
}
