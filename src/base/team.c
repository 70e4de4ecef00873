/* threads that share a piece of work: the only file that starts any */
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define DAE_TEAM_THREADS 1
#else
#define DAE_TEAM_THREADS 0
#endif

#include "base/team.h"

struct dae_team {
  dae_pool pool; /* of its own: no part of a checkpoint */
  int size;
  double *room;
  size_t each;
  dae_team_work *work;
  void *ctx;
#if DAE_TEAM_THREADS
  int helpers; /* threads beside the caller */
  pthread_t *thread;
  pthread_mutex_t lock; /* guards what follows, and work and ctx */
  pthread_cond_t begin, end;
  unsigned long round; /* number of the present piece of work */
  int next, done;      /* parts that were taken, and that are finished */
  bool leaving;
#endif
};

int dae_base_team_size(const dae_team *t) { return t ? t->size : 1; }

double *dae_base_team_room(const dae_team *t, int part) { return t->room + (size_t)part * t->each; }

#if DAE_TEAM_THREADS

/* takes parts while there are any; with the lock held */
static void take_parts(dae_team *t) {
  while (t->next < t->size) {
    int part = t->next++;
    pthread_mutex_unlock(&t->lock);
    t->work(t->ctx, part, t->size);
    pthread_mutex_lock(&t->lock);
    if (++t->done == t->size) pthread_cond_signal(&t->end);
  }
}

static void *help(void *team) {
  dae_team *t = team;
  unsigned long seen = 0;
  pthread_mutex_lock(&t->lock);
  for (;;) {
    while (t->round == seen && !t->leaving) pthread_cond_wait(&t->begin, &t->lock);
    if (t->leaving) break;
    seen = t->round;
    take_parts(t);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

void dae_base_team_run(dae_team *t, dae_team_work *work, void *ctx) {
  pthread_mutex_lock(&t->lock);
  t->work = work;
  t->ctx = ctx;
  t->next = t->done = 0;
  t->round++;
  pthread_cond_broadcast(&t->begin);
  take_parts(t);
  while (t->done < t->size) pthread_cond_wait(&t->end, &t->lock);
  pthread_mutex_unlock(&t->lock);
}

/* as many as the system gives: the parts are the same, whoever does them */
static void start_threads(dae_team *t) {
  t->thread = dae_base_take(&t->pool, (size_t)t->size, sizeof *t->thread);
  if (t->pool.failed) return;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->begin, NULL);
  pthread_cond_init(&t->end, NULL);
  while (t->helpers < t->size - 1 && pthread_create(&t->thread[t->helpers], NULL, help, t) == 0)
    t->helpers++;
}

static void stop_threads(dae_team *t) {
  pthread_mutex_lock(&t->lock);
  t->leaving = true;
  pthread_cond_broadcast(&t->begin);
  pthread_mutex_unlock(&t->lock);
  for (int i = 0; i < t->helpers; i++) pthread_join(t->thread[i], NULL);
  pthread_cond_destroy(&t->end);
  pthread_cond_destroy(&t->begin);
  pthread_mutex_destroy(&t->lock);
}

#else

void dae_base_team_run(dae_team *t, dae_team_work *work, void *ctx) {
  for (int part = 0; part < t->size; part++) work(ctx, part, t->size);
}
static void start_threads(dae_team *t) { (void)t; }
static void stop_threads(dae_team *t) { (void)t; }

#endif

dae_status dae_base_team_new(dae_team **out, const dae_allocator *allocator, int size,
                             size_t room) {
  dae_pool pool;
  *out = NULL;
  if (size <= 1) return DAE_OK;
  dae_base_pool_init(&pool, allocator);
  dae_team *t = dae_base_take(&pool, 1, sizeof *t);
  if (!t) {
    dae_base_pool_free(&pool);
    return DAE_E_MEMORY;
  }
  t->pool = pool;
  t->size = size < DAE_TEAM_MOST ? size : DAE_TEAM_MOST;
  /* rooms of their own cache lines */
  t->each = (room + 7) / 8 * 8;
  t->room = dae_base_doubles(&t->pool, t->each * (size_t)t->size);
  if (!t->pool.failed) start_threads(t);
  if (t->pool.failed) {
    pool = t->pool;
    dae_base_pool_free(&pool);
    return DAE_E_MEMORY;
  }
  *out = t;
  return DAE_OK;
}

void dae_base_team_free(dae_team *t) {
  if (!t) return;
  stop_threads(t);
  dae_pool pool = t->pool;
  dae_base_pool_free(&pool);
}
