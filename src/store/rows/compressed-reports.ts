// Compressed reports: a fifth of their text, so that years of them fit.
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Batch } from '../../model/ports/store.ts'
import type { ArchivedReport } from '../../model/output/report.ts'

export type CompressedReport = ArchivedReport & { readonly body: Uint8Array }

export type WithCompressedReports<Whole extends Pick<Batch, 'reports'>> = Omit<Whole, 'reports'> & {
  readonly reports: readonly CompressedReport[]
}

// asynchronous: compressing the report of a large fleet takes some tenths of a second
const [gzipBeside, gunzipBeside] = [promisify(gzip), promisify(gunzip)]

export async function compressReports<Whole extends Pick<Batch, 'reports'>>(
  whole: Whole,
): Promise<WithCompressedReports<Whole>> {
  const reports = await Promise.all(
    whole.reports.map(async ({ json, ...head }) => ({ ...head, body: await gzipBeside(json) })),
  )
  return { ...whole, reports }
}

export const decompress = async (body: Uint8Array): Promise<string> => String(await gunzipBeside(body))
