// Calls the installed library from C; what it does is tested elsewhere.
#include <sluice.h>
#include <stdio.h>

static int64_t read_by_hand(void *context) { return *(int64_t *)context; }

static int allowed(sluice_limiter *limiter, const char *key, double cost) {
  sluice_decision decision;
  if (sluice_limiter_take(limiter, sluice_key_of(key), cost, &decision) != SLUICE_OK) return -1;
  return decision.verdict == SLUICE_ALLOWED;
}

int main(void) {
  int64_t now = 0;
  const sluice_clock clock = {read_by_hand, &now};
  const sluice_options options = {1 << 20, &clock};
  sluice_limit *limits[2] = {NULL, NULL};
  sluice_limiter *limiter = NULL;
  if (sluice_limit_token_bucket(10, 2, &limits[0]) != SLUICE_OK) return 1;
  if (sluice_limit_sliding_window_log(100, INT64_C(3600000000000), &limits[1]) != SLUICE_OK) return 1;
  if (sluice_limiter_create_with((const sluice_limit *const *)limits, 2, &options, &limiter) != SLUICE_OK) return 1;

  int is_fine = allowed(limiter, "a", 2) == 1 && allowed(limiter, "a", 1) == 0 && allowed(limiter, "b", 1) == 1;
  now += 100000000;
  is_fine = is_fine && allowed(limiter, "a", 1) == 1 && allowed(limiter, "a", -1) == -1;
  printf("sluice %s: %s (%s)\n", sluice_version(), is_fine ? "fine" : "not fine", sluice_last_error());

  sluice_limiter_destroy(limiter);
  sluice_limit_destroy(limits[0]);
  sluice_limit_destroy(limits[1]);
  return is_fine ? 0 : 1;
}
