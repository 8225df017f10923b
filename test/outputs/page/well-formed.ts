// A strict reading of HTML: every element is closed where it belongs, every attribute is quoted, every id is there once.

const EMPTY = new Set(['meta', 'link', 'input', 'path', 'line', 'rect', 'br', 'wbr'])
const ATTRIBUTE = /\s+[a-zA-Z][\w:-]*(?:="[^"<>]*")?/y

/** Lines; none where it is well formed. */
export function problemsOf(text: string): readonly string[] {
  const tags = [...text.matchAll(/<[^>]*>/g)].map(([tag]) => tag).filter((tag) => tag !== '<!doctype html>')
  return [...nestingProblems(tags), ...tags.flatMap(attributeProblems), ...idsTwice(tags)]
}

function nestingProblems(tags: readonly string[]): readonly string[] {
  const open: string[] = []
  const problems = tags.flatMap((tag) => {
    const [, slash = '', name = ''] = /^<(\/?)([a-z][\w-]*)/i.exec(tag) ?? []
    if (name === '') return [`no tag: ${tag}`]
    if (slash === '' && !EMPTY.has(name)) open.push(name)
    const last = slash === '' ? name : open.pop()
    return last === name ? [] : [`${tag} closes ${last}`]
  })
  return [...problems, ...open.map((name) => `${name} is not closed`)]
}

function attributeProblems(tag: string): readonly string[] {
  const rest = tag.replace(/^<\/?[\w-]*/, '').replace(/\/?>$/, '')
  ATTRIBUTE.lastIndex = 0
  let end = 0
  while (ATTRIBUTE.test(rest)) end = ATTRIBUTE.lastIndex
  return rest.slice(end).trim() === '' ? [] : [`attributes of ${tag}`]
}

function idsTwice(tags: readonly string[]): readonly string[] {
  const ids = tags.flatMap((tag) => [...tag.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id))
  return ids.filter((id, index) => ids.indexOf(id) < index).map((id) => `id ${id} is there twice`)
}
