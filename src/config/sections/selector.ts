import { array, enum as oneOf, string, union } from 'zod'

const PATTERNS = 'expected a pattern such as preview-*, or a list of them'

const patterns = union(
  [string().min(1, PATTERNS), array(string().min(1, PATTERNS)).min(1, PATTERNS)],
  PATTERNS,
).transform((given) => [given].flat())

const branches = patterns.refine((given) => given.every((pattern) => /^(br-|[*?])/.test(pattern)), {
  error: 'expected ids of branches, which begin with br-: the service tells no names',
})

export const selectorShape = {
  project: patterns.optional().describe('Ids or names of projects; * stands for any text.'),
  branch: branches.optional().describe('Ids of branches.'),
  compute: patterns.optional().describe('Ids or names of computes.'),
  type: oneOf(['read_write', 'read_only']).optional().describe('Only primaries, or only replicas.'),
}
