model RodNet "net of nx times ny point masses and rods, hung up along its top (index 3)"
  parameter Integer nx = 4 "columns", ny = 5 "rows";
  parameter Real height = 1 "of the net", mass = 1 "of the whole net", g = 9.81;
  parameter Real angle = 0.5 "of the columns at the start, from the downward vertical";
  constant Real pi = 3.14159265358979323846;
  final parameter Integer n = nx*ny, k = 2*nx - 1 "rods of a row";
  final parameter Real L = height/ny;
  final parameter Real m[n] = {mass/n*(1 + 0.5*cos(2*pi*(div(p - 1, nx) + mod(p - 1, nx))/nx)) for p in 1:n};
  Real x[n](start = {L*mod(p - 1, nx) + L*sin(angle)*(div(p - 1, nx) + 1) for p in 1:n});
  Real y[n](start = {-L*cos(angle)*(div(p - 1, nx) + 1) for p in 1:n}), lambda[k*ny];
  Real ux[n] = {x[p] - (if p > nx then x[p - nx] else L*(p - 1)) for p in 1:n}/L "rods from above";
  Real uy[n] = {y[p] - (if p > nx then y[p - nx] else 0) for p in 1:n}/L;
  Real sx[n] = {if mod(p, nx) <> 1 then x[p] - x[p - 1] else 0 for p in 1:n}/L "rods from the left";
  Real sy[n] = {if mod(p, nx) <> 1 then y[p] - y[p - 1] else 0 for p in 1:n}/L;
  Real u[n] = {lambda[k*div(p - 1, nx) + max(1, 2*mod(p - 1, nx))] for p in 1:n} "tensions from above";
  Real s[n] = {if mod(p, nx) <> 1 then lambda[k*div(p - 1, nx) + 2*mod(p - 1, nx) + 1] else 0 for p in 1:n};
equation
  for p in 1:n loop
    m[p]*der(der(x[p])) = -u[p]*ux[p] - s[p]*sx[p] + (if p <= n - nx then u[p + nx]*ux[p + nx] else 0)
      + (if mod(p, nx) <> 0 then s[p + 1]*sx[p + 1] else 0);
    m[p]*der(der(y[p])) = -u[p]*uy[p] - s[p]*sy[p] + (if p <= n - nx then u[p + nx]*uy[p + nx] else 0)
      + (if mod(p, nx) <> 0 then s[p + 1]*sy[p + 1] else 0) - m[p]*g;
    (ux[p]^2 + uy[p]^2 - 1)*L/2 = 0;
    if mod(p, nx) <> 1 then
      (sx[p]^2 + sy[p]^2 - 1)*L/2 = 0;
    end if;
  end for;
end RodNet;
