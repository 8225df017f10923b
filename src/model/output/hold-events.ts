// Kinds of events about holds and brakes, as rows of `EVENT_KINDS`.
import { toIsoSecond } from '../time.ts'
import type { Instant } from '../units.ts'

/** `what`: its computes, as `project=dev-*`. */
export type HoldMove = Readonly<{ holdId: string; what: string; by: string; because: string; until: Instant }>

const holdFields = ({ holdId, what, by, because, until }: HoldMove) => ({
  hold: holdId,
  what,
  by,
  because,
  until: toIsoSecond(until),
})

const ABOUT_HOLD = { topic: ({ holdId }: HoldMove) => `hold/${holdId}`, fields: holdFields } as const

/** In place of a selector, which is written with names, where names are left out. */
export const SOME_COMPUTES = 'some computes'

const placedText = ({ holdId, what, by, because, until }: HoldMove): string =>
  `Hold ${holdId} of ${by} stops changes of ${what} until ${toIsoSecond(until)}: ${because}`
const endedText = ({ holdId, what, because }: HoldMove): string =>
  `Hold ${holdId} no longer stops changes of ${what}: ${because}`

/** `brake`: its id, as `fleet`. */
export type BrakeMove = Readonly<{ brake: string; because: string }>

const ABOUT_BRAKE = {
  topic: ({ brake }: BrakeMove) => `brake/${brake}`,
  fields: ({ brake, because }: BrakeMove) => ({ brake, because }),
} as const

export const HOLD_EVENT_KINDS = {
  'hold-placed': {
    log: { level: 'info', text: 'a person placed a hold', fields: holdFields },
    notification: {
      severity: 'info',
      ...ABOUT_HOLD,
      text: placedText,
      textWithoutNames: (move: HoldMove) => placedText({ ...move, what: SOME_COMPUTES }),
    },
  },
  'hold-ended': {
    log: { level: 'info', text: 'a hold has ended', fields: holdFields },
    notification: {
      severity: 'info',
      ...ABOUT_HOLD,
      text: endedText,
      textWithoutNames: (move: HoldMove) => endedText({ ...move, what: SOME_COMPUTES }),
    },
  },
  'brake-engaged': {
    log: { level: 'warn', text: 'a brake is engaged', fields: ABOUT_BRAKE.fields },
    notification: {
      severity: 'warning',
      ...ABOUT_BRAKE,
      text: ({ brake, because }: BrakeMove) =>
        `The brake ${brake} holds changes back: ${because}; dormouse brakes says who can release it`,
    },
  },
  'brake-released': {
    log: { level: 'info', text: 'a brake is released', fields: ABOUT_BRAKE.fields },
    notification: {
      severity: 'info',
      ...ABOUT_BRAKE,
      text: ({ brake, because }: BrakeMove) => `The brake ${brake} no longer holds changes back: ${because}`,
    },
  },
} as const
