// Activity that repeated project lists show, and for how long they were read often enough to follow it.
import { MAX_FOLLOWED_STEP } from '../../model/ledger/gap.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { ListedActivity, ListedPage, ListProgress } from '../../model/observation.ts'
import type { ListPage } from '../../model/ports/service.ts'
import type { Project } from '../../model/service/compute.ts'
import { instant, latest, SECOND, type Instant, type Interval, type Seconds } from '../../model/units.ts'

type ListedBefore = Readonly<{ ledger: Ledger; progress: ListProgress }>

/** Newer activity of a known project; undefined where the list shows none. */
export function listedActivity(
  { projectId, computeLastActiveAt: lastActive }: Project,
  askedAt: Instant,
  { ledger, progress: { finished }, listLag: lag }: ListedBefore & { readonly listLag: Seconds },
): ListedActivity | undefined {
  const entry = ledger.projects.get(projectId)
  if (!entry || lastActive === undefined || lastActive <= (entry.project.computeLastActiveAt ?? 0))
    return undefined
  return { projectId, lastActive, askedAt, askedBefore: finished?.readAt.get(projectId), lag }
}

export const listedPage = (
  { items, unread = [] }: ListPage<Project>,
  askedAt: Instant,
  before: ListedBefore,
): ListedPage => ({
  askedAt,
  projectIds: items.map(({ projectId }) => projectId),
  unreadable: unread,
  followedSince: followedSince(items, askedAt, before),
})

/** Since when all known projects of a page were listed often enough. */
function followedSince(
  items: readonly Project[],
  askedAt: Instant,
  { ledger, progress: { finished } }: ListedBefore,
): Instant {
  let since = instant(0)
  for (const { projectId } of items) {
    if (!ledger.projects.has(projectId)) continue
    const before = finished?.readAt.get(projectId)
    if (!finished || !before || askedAt - before > MAX_FOLLOWED_STEP * SECOND) return askedAt
    since = latest(since, finished.followedSince.get(before) ?? before)
  }
  return since > 0 ? since : askedAt
}

/** Time in which a project was listed often enough, until its page was asked for last, at `readAt`. */
export function listedOften({ inProgress, finished }: ListProgress, readAt: Instant): Interval {
  const page = inProgress?.pages.find(({ askedAt }) => askedAt === readAt)
  return { from: page?.followedSince ?? finished?.followedSince.get(readAt) ?? readAt, to: readAt }
}
