// Texts for issues of the schema library, for people who know nothing of it.
import type { z } from 'zod'

/** Text of our schema, or a plain one in place of the library's own, which is known by how it begins. */
export function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  return /^(?:Invalid|Too (?:small|big))/.test(issue.message) ? textByCode(issue) : issue.message
}

function textByCode(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `expected one of ${issue.values.map(String).join(', ')}`
    case 'invalid_type':
      return `expected ${kindName(issue)}`
    case 'invalid_union':
      return kindsText(issue)
    case 'too_small':
      return `expected ${lengthText(issue.origin, `at least ${issue.minimum}`)}`
    case 'too_big':
      return `expected ${lengthText(issue.origin, `at most ${issue.maximum}`)}`
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'unrecognized_keys':
      return 'expected another value'
  }
}

/** What the bound counts; nothing for numbers. */
const COUNTED: Readonly<Record<string, string>> = { string: ' characters', array: ' items' }

const lengthText = (origin: string, bound: string): string =>
  bound === 'at least 1' && origin in COUNTED
    ? `${NAMES[origin]} that is not empty`
    : `${bound}${COUNTED[origin] ?? ''}`

/** What kinds of values a union has, where the value is none of them. */
const kindsText = ({ errors }: z.core.$ZodIssueInvalidUnion): string => {
  const kinds = errors.flat().flatMap((issue) => (issue.code === 'invalid_type' ? [kindName(issue)] : []))
  return `expected ${[...new Set(kinds)].join(' or ')}`
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  object: 'keys and values',
  record: 'keys and values',
  number: 'a number',
  boolean: 'true or false',
}

const kindName = ({ expected }: z.core.$ZodIssueInvalidType): string => NAMES[expected] ?? expected
