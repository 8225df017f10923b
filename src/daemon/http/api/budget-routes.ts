// What a budget changes, before it does.
import type { Hono } from 'hono'
import { planBudget, type BudgetPlanSources } from '../../changes/steps/plan-budget.ts'
import { allowedByMode, answer } from './change-routes.ts'

export function budgetRoutes(app: Hono, sources: BudgetPlanSources): void {
  app.get('/api/v1/budgets/:name/plan', (context) =>
    answer(context, sources, async (snapshot) => {
      const allowed = allowedByMode(sources)
      return allowed.ok ? planBudget(sources, snapshot, { name: context.req.param('name') }) : allowed
    }),
  )
}
