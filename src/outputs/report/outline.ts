import { displayName } from '../text/display-name.ts'
import { plainText, tableBlock, textBlock, type ReportOutline, type ReportSection } from './blocks.ts'
import { budgetSection } from './sections/budgets.ts'
import { changesSection } from './sections/changes.ts'
import { earlierSection } from './sections/earlier.ts'
import { notAnalysedSection, pricesSection } from './sections/method.ts'
import { recommendationSection } from './sections/recommendations.ts'
import { dearestSection, groupSection, moversSection, spendSection } from './sections/spend.ts'
import { observerSection, unproductiveSection } from './sections/unproductive.ts'
import type { Report } from './schema.ts'
import { countWithNoun, spanText, datesText, instantText } from '../text/amounts.ts'

export function buildOutline(report: Report): ReportOutline {
  const { slot, account, team, verdict } = report
  return {
    title: `Report ${slot.id}, account ${account}${team === null ? '' : `, team ${team}`}${slot.late ? ' (late)' : ''}`,
    lead: [verdict, aboutText(report)].map(plainText),
    sections: [
      recommendationSection(report),
      earlierSection(report),
      changesSection(report),
      spendSection(report),
      groupSection(report),
      dearestSection(report),
      moversSection(report),
      budgetSection(report),
      unproductiveSection(report),
      observerSection(report),
      eventSection(report),
      notAnalysedSection(report),
      pricesSection(report),
    ].filter(({ blocks }) => blocks.length > 0),
  }
}

function aboutText({ slot, zone, spend, awake, made_at }: Report) {
  const [first, last] = [spend.days[0]?.date ?? '', spend.days.at(-1)?.date ?? '']
  const clocks = slot.hours === 168 ? '' : `, ${slot.hours} hours because clocks changed`
  const state = made_at < slot.to ? `, the week is not over: as of ${instantText(made_at)}` : ''
  const awakeText =
    awake.computes === 0
      ? ''
      : ` ${countWithNoun(awake.computes, 'compute')} awake for ${spanText(awake.seconds.likely * 1000)} in all, woken ${countWithNoun(awake.wakes, 'time')}.`
  return `${datesText(first, last)} (${zone}${clocks})${state}.${awakeText}`
}

/** An error message must not become a paragraph. */
const MAX_EVENT_LENGTH = 160

function eventSection({ events }: Report): ReportSection {
  const { told: listed, left: unlisted } = events ?? { told: [], left: 0 }
  const table = tableBlock(['When', 'What'], listed, ({ at, what }) => [
    instantText(at),
    displayName(what, MAX_EVENT_LENGTH),
  ])
  const rest = unlisted === 0 ? [] : [textBlock(`${countWithNoun(unlisted, 'event')} more came after these.`)]
  return { id: 'events', title: 'What happened', blocks: [...table, ...rest] }
}
