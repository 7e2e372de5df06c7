module example.invalid/greeting

go 1.18
