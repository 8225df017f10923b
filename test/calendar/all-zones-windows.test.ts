// Windows in every zone, every half hour of a year, against what Intl formats directly.
import { expect, test } from 'vitest'
import { instant } from '../../src/model/units.ts'
import { weekly, windowOf } from './windows.ts'

const HALF_HOUR = 1_800_000
const YEAR = { from: Date.parse('2026-01-01T00:00:00Z'), to: Date.parse('2027-01-01T00:00:00Z') }

/** Seconds of work for one core alone; a busy machine takes longer. */
const PATIENCE = 300_000

/** Their edges are far from the hours in which clocks change. */
const WINDOWS = [
  {
    text: 'Mon-Fri 08:00-19:00',
    holds: (day: string, hour: number) => !['Sat', 'Sun'].includes(day) && hour >= 8 && hour < 19,
  },
  {
    text: 'Sat,Sun 21:00-07:00',
    holds: (day: string, hour: number) =>
      (['Sat', 'Sun'].includes(day) && hour >= 21) || (['Sun', 'Mon'].includes(day) && hour < 7),
  },
]

test(
  'a window is open when the clocks of a place say so',
  () => {
    const wrong = Intl.supportedValuesOf('timeZone').flatMap((name) => {
      const format = new Intl.DateTimeFormat('en-GB', { timeZone: name, weekday: 'short', hour: '2-digit' })
      const windows = WINDOWS.map(({ text, holds }) => ({
        text,
        holds,
        window: windowOf(weekly(text, name)),
      }))
      for (let now = YEAR.from; now < YEAR.to; now += HALF_HOUR) {
        const [day = '', hour = ''] = format.format(now).split(', ')
        const off = windows.find(
          ({ window, holds }) => (window.at(instant(now)) !== undefined) !== holds(day, Number(hour)),
        )
        if (off) return [`${off.text} ${name} ${new Date(now).toISOString()}`]
      }
      return []
    })
    expect(wrong).toEqual([])
  },
  PATIENCE,
)
