// The file sink: one file per message in a folder.
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Message, DeliveryOutcome, Sink } from '../../model/output/message.ts'
import { failureCode } from './deadline.ts'

export type FileOptions = {
  /** Absolute, with `{account}` and `{slot}` in its file name. */
  readonly path: string
  /** Newest files per account that are not removed. */
  readonly keep: number
}

/** Readers see a whole file or none: it is written under another name, synced, and renamed. Never rejects. */
export const createFileSink =
  ({ path, keep }: FileOptions): Sink =>
  async (message) => {
    const folder = dirname(path)
    const name = nameOf(basename(path), message.account, message.slot ?? 'now')
    const draft = join(folder, `.${name}.${randomUUID()}`)
    try {
      await mkdir(folder, { recursive: true })
      await writeDurably(draft, bodyOf(message))
      await rename(draft, join(folder, name))
      await syncFolder(folder)
      await removeOld(folder, nameOf(basename(path), message.account, '\n'), keep)
      return { kind: 'delivered' }
    } catch (cause) {
      await rm(draft, { force: true }).catch(() => undefined)
      return {
        kind: 'retry',
        because: `could not be written: ${failureCode(cause)}`,
      } satisfies DeliveryOutcome
    }
  }

const bodyOf = ({ attachments, text }: Message): string => attachments[0]?.body ?? text

/** Account and slot are sanitized, so that no name leaves the folder or is hidden. */
const nameOf = (template: string, account: string, slot: string): string =>
  template.replaceAll('{account}', safe(account)).replaceAll('{slot}', slot === '\n' ? slot : safe(slot))

const safe = (text: string): string => text.replaceAll(/[^\w-]/g, '_')

async function writeDurably(path: string, body: string): Promise<void> {
  await using file = await open(path, 'wx', 0o640)
  await file.writeFile(body)
  await file.sync()
}

async function syncFolder(folder: string): Promise<void> {
  await using opened = await open(folder, 'r')
  await opened.sync()
}

/** Removes the oldest files that match `pattern`, in which a line break stands for the slot. Slots sort by time. */
async function removeOld(folder: string, pattern: string, keep: number): Promise<void> {
  const [begin = '', end = ''] = pattern.split('\n')
  if (!pattern.includes('\n')) return
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(begin) && name.endsWith(end) && /^\d{4}-W\d\d/.test(name.slice(begin.length)),
  )
  const old = names.toSorted().slice(0, Math.max(0, names.length - keep))
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })))
}
