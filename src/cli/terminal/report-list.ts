// `report --list`: which reports are kept.
import type { ArchiveList } from '../../daemon/reports/archive.ts'
import { ok, type Result } from '../../std/result.ts'

type Listed = ArchiveList['reports'][number]

/** Page after page, the newest first. */
export async function listAllReports<Problem>(
  pageOf: (page: number) => Promise<Result<ArchiveList, Problem>>,
): Promise<Result<readonly Listed[], Problem>> {
  const all: Listed[] = []
  for (let page: number | null = 1; page !== null;) {
    // oxlint-disable-next-line no-await-in-loop -- a page tells whether there is another
    const list: Result<ArchiveList, Problem> = await pageOf(page)
    if (!list.ok) return list
    all.push(...list.value.reports)
    page = list.value.next_page
  }
  return ok(all)
}

/** A line for each. */
export function reportListText(reports: readonly Listed[]): string {
  if (reports.length === 0) return 'none is kept'
  const width = Math.max(...reports.map(({ week }) => week.length))
  return reports
    .map(({ week, made_at: madeAt, late, teams }) =>
      [
        week.padEnd(width),
        `made ${madeAt}`,
        ...(late ? ['late'] : []),
        ...(teams.length > 0 ? [`teams: ${teams.join(', ')}`] : []),
      ].join('  '),
    )
    .join('\n')
}
